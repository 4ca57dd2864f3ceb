import type { Random } from '../ports/ambient.ts';

/** Waits between attempts, in milliseconds: doubled from the first to the longest. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
  /** Share of a wait that chance can take away, of [0, 1]. Default: 0.5. */
  readonly jitter?: number;
}

/** Of [0, 1), in 256 steps: enough for jitter. */
export const chanceOf = (random: Random): number => random.bytes(1)[0]! / 256;

/** The wait after so many failures in a row, counted from 0. @param chance of [0, 1); 0 gives the whole wait */
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
  /** Called after every failure, with the number of attempts so far and the next wait. False: `retry` throws the error. */
  readonly mayRetry: (error: unknown, attempts: number, waitMs: number) => boolean;
  /** Of [0, 1), for jitter. Default: none. */
  readonly chance?: () => number;
}

/** Repeats `work` until it succeeds. @throws the first error that `mayRetry` does not let pass, and what `delay` throws */
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
