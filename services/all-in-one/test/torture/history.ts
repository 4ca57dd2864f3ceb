/** The true history of a file, with which the agent's claims are compared. Pure. Times are ms since 1970. */
import { stepsOf, type Disk, type Operation } from './disk.ts';
import { diskAtFirst } from './plan.ts';
import type { WatchedFile } from './policies.ts';

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Completed operation. */
export interface Done {
  readonly operation: Operation;
  readonly begin: number;
  readonly end: number;
  /** Device and inode of the file afterwards; null without a file. */
  readonly inode: string | null;
}

/** Claim of the agent, at `at`, that it looked at the file at `checkedAt`; both by this process's clock. */
export interface Claim {
  readonly at: number;
  readonly checkedAt: number;
}

/** Setting of the agent's clock: wrong by `byMs` from `from` on. */
export interface ClockSet {
  readonly from: number;
  readonly byMs: number;
}

/**
 * Most ms from a status's time to its writing; a status written this close to a change of the clock does not
 * count.
 */
const WRITTEN_MS = 2_000;

/**
 * Returns by how many ms the clock was wrong whose time `shown` is in a status; undefined when the clock was
 * just being set, or the agent stood still between taking the time and writing the file.
 * @param writtenMs time of writing the status file, by the right clock
 */
export function aheadWhenWritten(
  shown: number,
  writtenMs: number,
  clocks: readonly ClockSet[],
): number | undefined {
  const byMs = clocks.findLast(({ from }) => from <= writtenMs)?.byMs ?? 0;
  const isBeingSet = clocks.some(({ from }) => Math.abs(from - writtenMs) < WRITTEN_MS);
  const waitedMs = writtenMs - (shown - byMs);
  return isBeingSet || Math.abs(waitedMs) >= WRITTEN_MS ? undefined : byMs;
}

export interface State {
  readonly disk: Disk;
  /** The state lasted from `from` to `to`; a passing state came and went within that time. */
  readonly from: number;
  readonly to: number;
  readonly isPassing: boolean;
  /** Operation that made the state; undefined for the first state. */
  readonly by: Operation | undefined;
}

/**
 * Returns all states of the file in order. @param run ends with the test @param firstInode as `inode` of
 * `Done`
 */
export function statesOf(
  file: WatchedFile,
  done: readonly Done[],
  run: Span,
  firstInode: string | null = 'first',
): State[] {
  const first = { ...diskAtFirst(file), inode: firstInode ?? 'none' };
  const states: State[] = [
    { disk: first, from: run.from, to: done[0]?.begin ?? run.to, isPassing: false, by: undefined },
  ];
  for (const [n, { operation, begin, end, inode }] of done.entries()) {
    const steps = stepsOf(states.at(-1)!.disk, operation);
    for (const [at, disk] of steps.entries()) {
      const isPassing = at < steps.length - 1;
      const real = disk.inode === operation.id ? { ...disk, inode: inode ?? 'none' } : disk;
      const [from, to] = isPassing ? [begin, end] : [end, done[n + 1]?.begin ?? run.to];
      states.push({ disk: real, from, to, isPassing, by: operation });
    }
  }
  return states;
}

/** Tolerance for clocks of two processes, and for times cut to whole ms. */
const GRAIN_MS = 25;

/** Returns whether the agent claims a look during the state: begun after `from` and ended before `to`. */
export const isClaimed = ({ from, to, isPassing }: State, claims: readonly Claim[]): boolean =>
  !isPassing && claims.some(({ at, checkedAt }) => checkedAt >= from + GRAIN_MS && at <= to - GRAIN_MS);

/**
 * Returns whether the agent claims to have seen the archives. Archives count only after 2 s without a change,
 * by the steady clock of one process: this takes two looks that far apart in the same run of the agent.
 */
export function areArchivesClaimed(
  { from, to }: Span,
  claims: readonly Claim[],
  starts: readonly number[],
): boolean {
  const within = claims.filter(({ at, checkedAt }) => checkedAt >= from + GRAIN_MS && at <= to - GRAIN_MS);
  return within.some((first) => {
    const restart = starts.find((start) => start >= first.at) ?? Infinity;
    return within.some(({ checkedAt }) => checkedAt >= first.at + ARCHIVES_MS && checkedAt < restart);
  });
}

/** Least time between two such looks, in ms: archives are listed every second and must stay for two. */
const ARCHIVES_MS = 3_500;

/** Returns the parts of `span` that none of `holes` covers. */
export function without(span: Span, holes: readonly Span[]): Span[] {
  let rest: Span[] = [span];
  for (const hole of holes)
    rest = rest.flatMap(({ from, to }) =>
      [
        { from, to: Math.min(to, hole.from) },
        { from: Math.max(from, hole.to), to },
      ].filter((part) => part.to > part.from),
    );
  return rest;
}

export const overlaps = (a: Span, b: Span): boolean => a.from <= b.to && b.from <= a.to;
