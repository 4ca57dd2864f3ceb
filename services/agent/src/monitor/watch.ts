/** Looks at a log repeatedly until aborted. */
import { backOffMs } from '../domain/back-off.ts';
import type { Problem } from './alarm.ts';
import type { Found } from './judge-look.ts';

/** Consecutive failed looks before an alarm. */
export const FAILURES_BEFORE_ALARM = 3;
/** Random share of the wait, added or subtracted, so that monitors do not call at the same time. */
const JITTER = 0.1;
const LONGEST_WAIT_MS = 3_600_000;

/** A look that could not read the log or a file. */
export interface NotRead {
  readonly result: undefined;
  readonly text: string;
  /** How long the log's server asked not to be called again, in ms. */
  readonly retryAfterMs?: number | undefined;
}

/** Result of a watch's look. `UNREADABLE`: `FAILURES_BEFORE_ALARM` looks in a row failed. */
export type WatchResult = Found['result'] | 'UNREADABLE';

export interface WatchDeps {
  readonly intervalMs: number;
  /** Whether the first problem ends the watch. */
  readonly isEndedByProblem: boolean;
  readonly origin: string;
  /** Ends the watch when aborted. */
  readonly ending: AbortSignal;
  /** Looks once. The result is undefined when the log or a file could not be read; the text says why. */
  readonly look: () => Promise<Found | NotRead>;
  /** Waits; ends early, without an error, when `ending` is aborted. */
  readonly wait: (ms: number) => Promise<void>;
  /** Returns a random number in [0, 1). */
  readonly chance: () => number;
  /** Reports a problem. Resolves with one line per failure; empty on success. */
  readonly raise: (problem: Problem) => Promise<readonly string[]>;
  readonly writeLine: (line: string, isProblem: boolean) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Returns the ms to the next look; each consecutive failure doubles them.
 * @param chance random number in [0, 1) @param retryAfterMs as the log's server asked
 */
export function waitAfter(
  failures: number,
  intervalMs: number,
  chance: number,
  retryAfterMs?: number,
): number {
  const longestMs = Math.max(LONGEST_WAIT_MS, intervalMs);
  return Math.round(
    backOffMs({ firstMs: intervalMs, longestMs, spread: JITTER }, failures + 1, chance, retryAfterMs),
  );
}

/** Watches a log. @returns the problem that ended the watch; undefined after an abort */
export async function watch(deps: WatchDeps): Promise<WatchResult | undefined> {
  let failures = 0;
  let told: string | undefined;
  while (!deps.ending.aborted) {
    const found = await deps.look();
    if (deps.ending.aborted) return undefined;
    failures = found.result === undefined ? failures + 1 : 0;
    const result = found.result ?? (failures >= FAILURES_BEFORE_ALARM ? 'UNREADABLE' : undefined);
    const isGood = result === 'GOES_ON';
    deps.writeLine(`${(result ?? 'NOT READ').replaceAll('_', ' ')}: ${found.text}`, !isGood);
    if (isGood) told = undefined;
    // Report each kind of problem once until a good look; report it again if reporting failed.
    if (result !== undefined && !isGood && told !== result)
      told = (await isTold(deps, result, found)) ? result : undefined;
    if (result !== undefined && !isGood && deps.isEndedByProblem) return result;
    const retryAfterMs = found.result === undefined ? found.retryAfterMs : undefined;
    await deps.wait(waitAfter(failures, deps.intervalMs, deps.chance(), retryAfterMs));
  }
  return undefined;
}

async function isTold(
  { origin, now, raise, writeLine }: WatchDeps,
  result: WatchResult,
  found: { readonly text: string; readonly evidence?: string },
): Promise<boolean> {
  const at = new Date(now()).toISOString();
  const failed = await raise({ result, text: found.text, origin, evidence: found.evidence, at });
  for (const line of failed) writeLine(line, true);
  return failed.length === 0;
}
