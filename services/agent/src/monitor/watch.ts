/** Looks again and again, until it is told to end. */
import type { Problem } from './alarm.ts';
import type { Found } from './judge-look.ts';

/** Looks that fail in a row before it is a problem. */
export const FAILURES_BEFORE_ALARM = 3;
/** Of the wait, in either direction, so that monitors do not come at the same time. */
const JITTER = 0.1;
const LONGEST_WAIT_MS = 3_600_000;
const MOST_DOUBLINGS = 20;

/** `UNREADABLE`: several looks in a row could not be made. */
export type WatchResult = Found['result'] | 'UNREADABLE';

export interface WatchDeps {
  readonly intervalMs: number;
  /** Ends with the first problem. */
  readonly isEndedByProblem: boolean;
  readonly origin: string;
  /** Aborted: the watch ends. */
  readonly ending: AbortSignal;
  /** undefined: the log, or a file, could not be read; the text says why. */
  readonly look: () => Promise<Found | { readonly result: undefined; readonly text: string }>;
  /** Ends early, without an error, when `ending` is aborted. */
  readonly wait: (ms: number) => Promise<void>;
  /** Of [0, 1). */
  readonly chance: () => number;
  /** Lines of what could not be told; empty: told. */
  readonly raise: (problem: Problem) => Promise<readonly string[]>;
  readonly say: (line: string, isProblem: boolean) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Milliseconds to the next look, longer after each failure in a row. @param chance of [0, 1) */
export function waitAfter(failures: number, intervalMs: number, chance: number): number {
  const longest = Math.max(LONGEST_WAIT_MS, intervalMs);
  const full = Math.min(longest, intervalMs * 2 ** Math.min(failures, MOST_DOUBLINGS));
  return Math.round(full * (1 - JITTER + 2 * JITTER * chance));
}

/** @returns the problem that ended it; undefined: it was told to end */
export async function watch(deps: WatchDeps): Promise<WatchResult | undefined> {
  let failures = 0;
  let told: string | undefined;
  while (!deps.ending.aborted) {
    const found = await deps.look();
    if (deps.ending.aborted) return undefined;
    failures = found.result === undefined ? failures + 1 : 0;
    const result = found.result ?? (failures >= FAILURES_BEFORE_ALARM ? 'UNREADABLE' : undefined);
    const isGood = result === 'GOES_ON';
    deps.say(`${(result ?? 'NOT READ').replaceAll('_', ' ')}: ${found.text}`, !isGood);
    if (isGood) told = undefined;
    // Each kind of problem is told once, until it has passed, or again if it could not be told.
    if (result !== undefined && !isGood && told !== result)
      told = (await isTold(deps, result, found)) ? result : undefined;
    if (result !== undefined && !isGood && deps.isEndedByProblem) return result;
    await deps.wait(waitAfter(failures, deps.intervalMs, deps.chance()));
  }
  return undefined;
}

async function isTold(
  { origin, now, raise, say }: WatchDeps,
  result: WatchResult,
  found: { readonly text: string; readonly evidence?: string },
): Promise<boolean> {
  const at = new Date(now()).toISOString();
  const failed = await raise({ result, text: found.text, origin, evidence: found.evidence, at });
  for (const line of failed) say(line, true);
  return failed.length === 0;
}
