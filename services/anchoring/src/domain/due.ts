import type { Category } from '@sentinel-node/contracts';

export type CategoryIntervals = Readonly<Record<Category, number>>;

/** Half of the interval is for the wait until a cut; the other half is for signing, sending and failures. */
const WAIT_SHARE = 2;
const TICKS_PER_INTERVAL = 8;

/** Returns the time (ms) by which an entry must be in a cut. */
export function cutDueAt(acceptedAt: number, category: Category, intervals: CategoryIntervals): number {
  return acceptedAt + Math.floor((intervals[category] * 1_000) / WAIT_SHARE);
}

/** Returns `wanted` ms, or an eighth of the shortest interval if that is less. */
export function cappedIntervalMs(wanted: number, intervals: CategoryIntervals): number {
  const shortest = Math.min(...Object.values(intervals)) * 1_000;
  return Math.min(wanted, Math.floor(shortest / TICKS_PER_INTERVAL));
}
