/** Checks that a transaction is in a block of the best chain, by its Merkle path and the header at that height. */
import { MerklePath } from '@bsv/sdk/transaction';
import {
  bumpRoot,
  equalBytes,
  fromHex,
  parseBlockHeader,
  parseBump,
  PROOF_LIMITS,
  shownHash,
  type Bump,
} from '@sentinel-node/contracts';
import type { BlockHeaders } from '../../ports/block-headers.ts';

export type BlockProof =
  | {
      readonly kind: 'proven';
      /** Hash of the header that the path leads to, in hex as explorers show it. */
      readonly blockHash: string;
      readonly blockHeight: number;
      /** BRC-74 in hex, in the form for a proof. */
      readonly merklePath: string;
    }
  /** The path, or the header at its height, is missing: the proof may succeed later. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'contradicted'; readonly why: string };

type Leaf = MerklePath['path'][number][number];

const MISSING = { kind: 'missing' } as const;
const contradicted = (why: string): BlockProof => ({ kind: 'contradicted', why });

/**
 * Checks a path against the header at its height.
 * @param txid hex, as explorers show it
 * @param path BRC-74 in hex, untrusted
 * @throws LedgerUnavailableError of `headers`
 */
export async function proveBlock(
  txid: string,
  path: string | null | undefined,
  headers: Pick<BlockHeaders, 'header'>,
): Promise<BlockProof> {
  if (path === undefined || path === null || path === '') return MISSING;
  const own = ownPath(txid, path.toLowerCase());
  if (own === undefined) return contradicted('its Merkle path cannot be read, or is not its own');
  const known = await headers.header(own.bump.height);
  const header = known === undefined ? undefined : parseBlockHeader(fromHex(known));
  if (header === undefined) return MISSING;
  if (!equalBytes(own.root, header.root))
    return contradicted(`its Merkle path does not lead to the block at height ${own.bump.height}`);
  return {
    kind: 'proven',
    blockHash: shownHash(header.hash),
    blockHeight: own.bump.height,
    merklePath: own.merklePath,
  };
}

interface OwnPath {
  readonly merklePath: string;
  readonly bump: Bump;
  readonly root: Uint8Array;
}

/** Returns the path unchanged, or its part for this transaction alone; undefined when neither is valid. */
function ownPath(txid: string, path: string): OwnPath | undefined {
  const fits = /^([0-9a-f]{2})+$/.test(path) && path.length <= 2 * PROOF_LIMITS.bumpBytes;
  return fits ? (strictPath(txid, path) ?? strictPath(txid, extracted(txid, path))) : undefined;
}

function strictPath(txid: string, path: string | undefined): OwnPath | undefined {
  const bump = path === undefined ? undefined : parseBump(fromHex(path));
  const found = bump === undefined ? undefined : bumpRoot(bump, fromHex(txid).reverse());
  return found === undefined ? undefined : { merklePath: path!, bump: bump!, root: found.root };
}

/**
 * Extracts the part for this transaction: services also give the path of all transactions of a block, and leaves in
 * any order.
 */
function extracted(txid: string, path: string): string | undefined {
  try {
    const given = MerklePath.fromHex(path);
    const index = given.path[0]!.find(({ hash }) => hash === txid)?.offset;
    if (index === undefined) return undefined;
    const levels = given.path.map((_, level) => {
      const sibling = (index >> level) ^ 1;
      const leaf = given.findOrComputeLeaf(level, sibling);
      if (leaf === undefined) throw new RangeError(`no node ${sibling} on level ${level}`);
      const other: Leaf =
        leaf.duplicate === true
          ? { offset: sibling, duplicate: true }
          : { offset: sibling, hash: leaf.hash! };
      if (level > 0) return [other];
      return [other, { offset: index, hash: txid, txid: true }].sort((a, b) => a.offset - b.offset);
    });
    return new MerklePath(given.blockHeight, levels).toHex();
  } catch {
    return undefined;
  }
}
