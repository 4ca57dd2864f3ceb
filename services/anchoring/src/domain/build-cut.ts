import {
  batchHeaderHash,
  bytesPrefix,
  compareBytes,
  CompactRange,
  encodeBatchHeader,
  entryLeafHashesInto,
  fromHex,
  leafHash,
  mapKey,
  perfectRoot,
  toHex,
  ZERO_HASH,
  type Cut,
} from '@sentinel-node/contracts';
import type { Collected, Run } from './pending.ts';

/** The log up to its last batch, inclusive. */
export type LogState = {
  /** Number of batches. */
  readonly size: number;
  /** Peaks of the compact range of `size` leaves, hex. */
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

const HASH_BYTES = 32;
/** Leaves that are hashed before other work gets a turn, a few ms: a perfect tree. */
const LEAVES_PER_TURN = 2_048;

/** Called between two stretches of hashing, so that a large batch does not block other work. */
export type YieldTurn = () => Promise<void>;

/** Builds the next batch of the log. Time never goes back in the log. */
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

/** Returns the root over the leaves in the order of (mapKey, number); runs are already in the order of numbers. */
async function rootOf(
  logId: Uint8Array,
  runs: ReadonlyMap<string, Run>,
  yieldTurn: YieldTurn,
): Promise<Uint8Array> {
  const sorted = [...runs].map(([subject, run]) => {
    const key = mapKey(logId, 'FILE', subject);
    return { key, prefix: bytesPrefix(key), run };
  });
  sorted.sort((a, b) => a.prefix - b.prefix || compareBytes(a.key, b.key));
  const tree = new CompactRange();
  const hashes = new Uint8Array(HASH_BYTES * LEAVES_PER_TURN);
  let filled = 0;
  for (const { key, run } of sorted) {
    for (let from = 0; from < run.linkHashes.length;) {
      const part = run.linkHashes.slice(from, from + LEAVES_PER_TURN - filled);
      entryLeafHashesInto(hashes, HASH_BYTES * filled, key, run.from + from, part);
      from += part.length;
      filled += part.length;
      if (filled < LEAVES_PER_TURN) continue;
      tree.appendPerfect(perfectRoot(hashes, filled), filled);
      filled = 0;
      await yieldTurn();
    }
  }
  for (let leaf = 0; leaf < filled; leaf++)
    tree.append(hashes.slice(HASH_BYTES * leaf, HASH_BYTES * (leaf + 1)));
  return tree.root();
}
