import {
  batchHeaderHash,
  compareBytes,
  CompactRange,
  encodeBatchHeader,
  entryLeafHash,
  fromHex,
  leafHash,
  mapKey,
  toHex,
  ZERO_HASH,
  type Cut,
} from '@sentinel-node/contracts';
import type { Collected, Run } from './pending.ts';

/** The log up to and with its last batch. */
export type LogState = {
  /** Number of batches. */
  readonly size: number;
  /** Of the compact range of `size` leaves, hex. */
  readonly peaks: readonly string[];
  readonly headerHash: string;
  readonly closedAt: number;
  readonly totalLeaves: number;
};

export const EMPTY_LOG: LogState = {
  size: 0,
  peaks: [],
  headerHash: toHex(ZERO_HASH),
  closedAt: 0,
  totalLeaves: 0,
};

export interface BuiltCut {
  readonly cut: Cut;
  readonly log: LogState;
}

/** Leaves hashed between two breaths: about 10 ms. */
const LEAVES_PER_TURN = 2_000;

/** Called between two stretches of hashing, so that a large batch does not hold up everything else. */
export type YieldTurn = () => Promise<void>;

/** The next batch of the log. Time never runs backwards in it. */
export async function buildCut(
  logId: Uint8Array,
  before: LogState,
  collected: Collected,
  now: number,
  yieldTurn: YieldTurn,
): Promise<BuiltCut> {
  const closedAt = Math.max(now, before.closedAt);
  const totalLeaves = before.totalLeaves + collected.leafCount;
  const leafRoot = await rootOf(logId, collected.runs, yieldTurn);
  const header = encodeBatchHeader({
    logId,
    batch: before.size,
    previousHash: fromHex(before.headerHash),
    closedAt,
    leafCount: collected.leafCount,
    leafRoot,
    mapSize: 0,
    mapRoot: ZERO_HASH,
    totalLeaves,
  });
  const headerHash = toHex(batchHeaderHash(header));
  const log = new CompactRange(before.size, before.peaks.map(fromHex));
  log.append(leafHash(header));
  const cut = {
    batch: before.size,
    closedAt,
    ranges: collected.ranges,
    leafCount: collected.leafCount,
    leafRoot: toHex(leafRoot),
    totalLeaves,
    header: toHex(header),
    headerHash,
    logRoot: toHex(log.root()),
  };
  return { cut, log: { size: log.size, peaks: log.peaks.map(toHex), headerHash, closedAt, totalLeaves } };
}

/** Leaves in the order of (mapKey, number): runs are in the order of numbers already. */
async function rootOf(
  logId: Uint8Array,
  runs: ReadonlyMap<string, Run>,
  yieldTurn: YieldTurn,
): Promise<Uint8Array> {
  const sorted = [...runs].map(([subject, run]) => ({ key: mapKey(logId, 'FILE', subject), run }));
  sorted.sort((a, b) => compareBytes(a.key, b.key));
  const tree = new CompactRange();
  for (const { key, run } of sorted) {
    for (const [index, linkHash] of run.linkHashes.entries()) {
      tree.append(entryLeafHash(key, run.from + index, linkHash));
      if (tree.size % LEAVES_PER_TURN === 0) await yieldTurn();
    }
  }
  return tree.root();
}
