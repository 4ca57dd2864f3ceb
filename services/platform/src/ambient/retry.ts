import type { Random } from '../ports/ambient.ts';

/** Waits between attempts, in milliseconds: the first wait doubles until it reaches the longest. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
  /** Share of a wait that jitter can remove, in [0, 1]. Default: 0.5. */
  readonly jitter?: number;
}

/** Returns a random number in [0, 1), in 256 steps, which is enough for jitter. */
export const chanceOf = (random: Random): number => random.bytes(1)[0]! / 256;

/**
 * Returns the wait in milliseconds after `failures` failures in a row, counted from 0.
 * @param chance in [0, 1); 0 gives the whole wait
 */
export function backoffMs(
  failures: number,
  { firstMs, longestMs, jitter = 0.5 }: Backoff,
  chance = 0,
): number {
  const full = Math.min(longestMs, firstMs * 2 ** Math.min(failures, 30));
  return Math.floor(full * (1 - chance * jitter));
}

export interface RetryOptions {
  readonly backoff: Backoff;
  readonly delay: (ms: number) => Promise<void>;
  /**
   * Called after every failure with the number of attempts so far and the next wait. When it returns false, `retry`
   * throws the error.
   */
  readonly mayRetry: (error: unknown, attempts: number, waitMs: number) => boolean;
  /** Returns a number in [0, 1) for jitter. Default: no jitter. */
  readonly chance?: () => number;
}

/**
 * Repeats `work` until it succeeds. @throws the first error for which `mayRetry` returns false, and errors of `delay`
 */
export async function retry<T>(
  work: () => Promise<T>,
  { backoff, delay, mayRetry, chance }: RetryOptions,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await work();
    } catch (error) {
      const waitMs = backoffMs(failures, backoff, chance?.());
      if (!mayRetry(error, failures + 1, waitMs)) throw error;
      await delay(waitMs);
    }
  }
}
