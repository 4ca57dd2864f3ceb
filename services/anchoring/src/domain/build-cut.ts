import {
  appendEntryLeaves,
  batchHeaderHash,
  CompactRange,
  encodeBatchHeader,
  fromHex,
  leafHash,
  mapKeyInto,
  orderOfKeys,
  RootHasher,
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
/** Leaves or keys that are hashed before other work gets a turn, a few ms. */
const LEAVES_PER_TURN = 2_048;

/** Called between two steps of hashing, so that a large batch does not block other work. */
export type YieldTurn = () => Promise<void>;

/** Builds the next batch of the log. `closedAt` never goes back. */
export async function buildCut(
  logId: Uint8Array,
  before: LogState,
  collected: Collected,
  now: number,
  yieldTurn: YieldTurn,
): Promise<BuiltCut> {
  const closedAt = Math.max(now, before.closedAt);
  const totalLeaves = before.totalLeaves + collected.leafCount;
  const leafRoot = await rootOf(logId, collected, yieldTurn);
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

/** Returns the root over the leaves in the order of (mapKey, number); the runs already have the order of numbers. */
async function rootOf(
  logId: Uint8Array,
  { runs, linkHashes }: Pick<Collected, 'runs' | 'linkHashes'>,
  yieldTurn: YieldTurn,
): Promise<Uint8Array> {
  const keys = await keysOf(logId, runs, yieldTurn);
  const inPlace = [...runs.values()];
  const tree = new RootHasher();
  let turn = LEAVES_PER_TURN;
  for (const place of orderOfKeys(keys)) {
    const key = keys.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES);
    const run = inPlace[place]!;
    for (let from = 0; from < run.offsets.length;) {
      const part = run.offsets.slice(from, from + turn);
      appendEntryLeaves(tree, key, run.from + from, linkHashes, part);
      from += part.length;
      turn -= part.length;
      if (turn > 0) continue;
      turn = LEAVES_PER_TURN;
      await yieldTurn();
    }
  }
  return tree.root();
}

/** Returns the map keys of the subjects, one after the other. */
async function keysOf(
  logId: Uint8Array,
  runs: ReadonlyMap<string, Run>,
  yieldTurn: YieldTurn,
): Promise<Uint8Array> {
  const keys = new Uint8Array(runs.size * HASH_BYTES);
  let place = 0;
  for (const subject of runs.keys()) {
    mapKeyInto(keys, place * HASH_BYTES, logId, 'FILE', subject);
    place += 1;
    if (place % LEAVES_PER_TURN === 0) await yieldTurn();
  }
  return keys;
}
