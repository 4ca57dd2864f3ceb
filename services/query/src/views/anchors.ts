/** Finds the batch that covers a chain record, and the batch's transaction. */
import type { AnchorState } from '@sentinel-node/contracts';
import type { DocumentStore } from '@sentinel-node/platform';
import { VIEWS } from './collections.ts';
import type { AnchorBatchView, AnchorRangeView, ChainPosition } from './documents.ts';
import { viewsOf } from './read.ts';

export interface Anchored {
  readonly state: AnchorState;
  readonly batch: number | null;
  readonly confirmations: number;
  /** Id of the batch's transaction; null until the transaction is broadcast. */
  readonly txid: string | null;
}

const RECEIVED: Anchored = { state: 'RECEIVED', batch: null, confirmations: 0, txid: null };

/** ARC's states of a transaction that the network has. An attempted double spend or a stale block is not final. */
const BROADCAST: ReadonlySet<string> = new Set([
  'SENT_TO_NETWORK',
  'ACCEPTED_BY_NETWORK',
  'SEEN_IN_ORPHAN_MEMPOOL',
  'SEEN_ON_NETWORK',
  'DOUBLE_SPEND_ATTEMPTED',
  'MINED_IN_STALE_BLOCK',
]);

export function anchorState({ status }: Pick<AnchorBatchView, 'status'>): AnchorState {
  if (status === 'MINED') return 'CONFIRMED';
  return status !== null && BROADCAST.has(status) ? 'BROADCAST' : 'BATCHED';
}

/** Returns the anchor state of each position, in the order of `positions`. */
export async function anchorsAt(
  store: DocumentStore,
  positions: readonly ChainPosition[],
): Promise<Anchored[]> {
  const ranges = await rangesOf(store, positions);
  const batches = await viewsOf<AnchorBatchView>(
    store,
    VIEWS.anchorBatches,
    ranges.filter((range) => range !== undefined).map(({ batch }) => String(batch)),
  );
  return ranges.map((range) => {
    if (range === undefined) return RECEIVED;
    const view = batches.get(String(range.batch));
    if (view === undefined) return { ...RECEIVED, state: 'BATCHED', batch: range.batch };
    const state = anchorState(view);
    const isSent = state === 'BROADCAST' || state === 'CONFIRMED';
    return {
      state,
      batch: range.batch,
      confirmations: view.confirmations,
      txid: isSent ? view.txid : null,
    };
  });
}

/** Ranges that are looked up at once, beyond one of each partition. */
const RANGES_AT_ONCE = 32;

/**
 * Looks up each range once instead of once a position: neighbouring links usually share a batch. The first round asks for the
 * newest position of every partition, and each further round for twice as many of the open positions, evenly spread.
 */
async function rangesOf(
  store: DocumentStore,
  positions: readonly ChainPosition[],
): Promise<(AnchorRangeView | undefined)[]> {
  const ranges: (AnchorRangeView | undefined)[] = new Array(positions.length).fill(undefined);
  let open = [...positions.entries()].sort(([, a], [, b]) => b.offset - a.offset);
  for (let most = 1; open.length > 0; most = Math.min(2 * most, RANGES_AT_ONCE)) {
    const byPartition = new Map<number, typeof open>();
    for (const entry of open) {
      const { partition } = entry[1];
      const own = byPartition.get(partition);
      if (own === undefined) byPartition.set(partition, [entry]);
      else own.push(entry);
    }
    const each = Math.max(1, Math.floor(most / byPartition.size));
    const asked = new Set([...byPartition.values()].flatMap((own) => spread(own, each)));
    const found = await Promise.all([...asked].map(([, position]) => rangeAt(store, position)));
    open = open.filter((entry) => {
      const [at, position] = entry;
      ranges[at] = found.find((range) => range !== undefined && covers(range, position));
      return ranges[at] === undefined && !asked.has(entry);
    });
  }
  return ranges;
}

/** Returns at most `most` of the elements, the first and others at equal distances. */
function spread<T>(all: readonly T[], most: number): T[] {
  const distance = Math.max(1, all.length / most);
  return Array.from({ length: Math.min(most, all.length) }, (_, n) => all[Math.floor(n * distance)]!);
}

const covers = (range: AnchorRangeView, { partition, offset }: ChainPosition): boolean =>
  range.partition === partition && range.from <= offset && offset < range.to;

async function rangeAt(
  store: DocumentStore,
  { partition, offset }: ChainPosition,
): Promise<AnchorRangeView | undefined> {
  const [range] = await store.find(VIEWS.anchorRanges, {
    where: { partition, from: { lte: offset } },
    sort: { field: 'from', direction: 'desc' },
    limit: 1,
  });
  return range;
}
