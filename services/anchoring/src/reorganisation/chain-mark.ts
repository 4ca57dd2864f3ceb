/** Remembers blocks of the chain, so that a later look, also of another process, sees that another chain replaced them. */
import { fromHex, parseBlockHeader, shownHash } from '@sentinel-node/contracts';
import { saveIfCurrent, type DocumentStore, type Ledger } from '@sentinel-node/platform';
import { OWN_COLLECTIONS, type ChainMarkDocument, type MarkedBlock } from '../collections.ts';
import { markedHeights } from '../domain/marked-heights.ts';

const { chainMarks } = OWN_COLLECTIONS;
const CHAIN_MARK = 'chain';
/** Below every height: all anchors are compared. */
const EVERYTHING = -1;

export type Chain = Pick<Ledger, 'firstHeight' | 'header' | 'height'>;

export const readMark = (store: Pick<DocumentStore, 'get'>): Promise<ChainMarkDocument | undefined> =>
  store.get(chainMarks.name, CHAIN_MARK);

/** Returns undefined when the mark has changed since it was read. */
export async function saveMark(
  store: DocumentStore,
  mark: Pick<ChainMarkDocument, 'blocks' | 'above'>,
  before: ChainMarkDocument | undefined,
): Promise<ChainMarkDocument | undefined> {
  const document = { ...mark, id: CHAIN_MARK, rev: (before?.rev ?? 0) + 1 };
  return (await saveIfCurrent(store, chainMarks.name, document, before?.rev)) ? document : undefined;
}

/**
 * Has every anchor in a block compared with the chain again; the running service does so, or the next one that starts. Returns false
 * when its state changes at this moment.
 */
export async function markRecheck(store: DocumentStore): Promise<boolean> {
  const before = await readMark(store);
  const mark = { blocks: before?.blocks ?? [], above: EVERYTHING };
  return (await saveMark(store, mark, before)) !== undefined;
}

/** Returns the blocks to remember. @param known blocks of this chain @throws LedgerUnavailableError */
export async function blocksOf(
  chain: Chain,
  tip: number,
  known: readonly MarkedBlock[],
): Promise<readonly MarkedBlock[]> {
  const hashes = new Map(known.map(({ hash, height }) => [height, hash]));
  const blocks: MarkedBlock[] = [];
  for (const height of markedHeights(tip, chain.firstHeight)) {
    const hash = hashes.get(height) ?? (await hashAt(chain, height));
    if (hash !== undefined) blocks.push({ height, hash });
  }
  return blocks;
}

/** Returns the hash of the block at a height, as explorers show it. @throws LedgerUnavailableError */
export async function hashAt(chain: Pick<Chain, 'header'>, height: number): Promise<string | undefined> {
  const header = await chain.header(height);
  const block = header === undefined ? undefined : parseBlockHeader(fromHex(header));
  return block && shownHash(block.hash);
}

/** What became of the chain since a mark was made. */
export type Moved =
  /** It is the same, or goes on from there; its end is not known as far as it was; or it shares not even the first block, which no reorganisation replaces. */
  | { readonly kind: 'none' | 'behind' | 'other' }
  /** `shared`: height of the highest known block of both chains. `depth`: blocks that were replaced, at most. */
  | { readonly kind: 'replaced'; readonly shared: number; readonly depth: number }
  /** The headers begin after the mark, so that nothing can be told. */
  | { readonly kind: 'unknown' };

/** Compares the chain with a mark. @throws LedgerUnavailableError */
export async function movedSince(
  chain: Chain,
  tip: number,
  { blocks }: Pick<ChainMarkDocument, 'blocks'>,
): Promise<Moved> {
  const [newest] = blocks;
  if (newest === undefined || newest.height < chain.firstHeight) return { kind: 'unknown' };
  const comparable = blocks.filter(({ height }) => height >= chain.firstHeight && height <= tip);
  for (const [at, { hash, height }] of comparable.entries()) {
    if ((await hashAt(chain, height)) !== hash) continue;
    if (at > 0) return { kind: 'replaced', shared: height, depth: newest.height - height };
    return { kind: newest.height > tip ? 'behind' : 'none' };
  }
  if (comparable.length === 0) return { kind: 'behind' };
  if (comparable.at(-1)!.height === chain.firstHeight) return { kind: 'other' };
  const shared = chain.firstHeight - 1;
  return { kind: 'replaced', shared, depth: newest.height - shared };
}
