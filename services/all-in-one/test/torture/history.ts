/** What was there when, and when the agent was able to look: the truth that its words are held against. Pure. Times are ms since 1970. */
import { stepsOf, type Disk, type Operation } from './disk.ts';
import { diskAtFirst } from './plan.ts';
import type { WatchedFile } from './policies.ts';

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** An operation as it was carried out. */
export interface Done {
  readonly operation: Operation;
  readonly begin: number;
  readonly end: number;
  /** Of the file afterwards, device and inode; null: nothing is there. */
  readonly inode: string | null;
}

/** What the agent said at `at`: that it looked at the file at `checkedAt`, both by this process's clock. */
export interface Claim {
  readonly at: number;
  readonly checkedAt: number;
}

/** The agent's clock was set wrong by `byMs` at `from`. */
export interface ClockSet {
  readonly from: number;
  readonly byMs: number;
}

/** A status is written at most so long after the time that it tells, and not so close to a change of the clock, in ms. */
const WRITTEN_MS = 2_000;

/**
 * By what the clock was wrong of which a status tells the time `shown`.
 * @param writtenMs when its file was written, by the right clock
 * @returns undefined: the clock was just being set, or the agent stood still between the time and the file
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
  /** It was surely there from `from` to `to`; a passing one came and went within these. */
  readonly from: number;
  readonly to: number;
  readonly isPassing: boolean;
  /** The operation that made it; undefined: the first. */
  readonly by: Operation | undefined;
}

/** All states of the file in their order. @param end of the test @param firstInode as of `Done` */
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

/** Clocks of two processes, and times that are cut to whole ms. */
const GRAIN_MS = 25;

/** Whether the agent said that it looked while the state was there: it began the look after `from`, and had ended it before `to`. */
export const isClaimed = ({ from, to, isPassing }: State, claims: readonly Claim[]): boolean =>
  !isPassing && claims.some(({ at, checkedAt }) => checkedAt >= from + GRAIN_MS && at <= to - GRAIN_MS);

/**
 * The same for archives, which count only when they stay as they are for 2 s by the steady clock of one process: two looks that
 * far apart, of the same run of the agent.
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

/** Archives are listed each second, and have to stay for two. */
const ARCHIVES_MS = 3_500;

/** The parts of `span` that no one of `holes` covers. */
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
