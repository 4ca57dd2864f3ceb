/** Longest waits grow no further: 2^20 times the first one. */
const MOST_DOUBLINGS = 20;

export interface BackOff {
  /** Wait after the first failure, in ms. */
  readonly firstMs: number;
  /** Longest wait, in ms. */
  readonly longestMs: number;
  /** Random share of the wait, added or subtracted, so that many callers do not call at the same time; default: a quarter. */
  readonly spread?: number;
}

/**
 * Returns the ms from a failure to the next try; each failure in a row doubles them.
 * @param failures number of failures in a row, 1 or more @param chance random number in [0, 1)
 * @param retryAfterMs least wait, as the server told
 */
export function backOffMs(
  { firstMs, longestMs, spread = 0.25 }: BackOff,
  failures: number,
  chance: number,
  retryAfterMs = 0,
): number {
  const fullMs = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, MOST_DOUBLINGS));
  return Math.max(retryAfterMs, fullMs * (1 - spread + 2 * spread * chance));
}
