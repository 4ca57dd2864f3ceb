import { isTransient } from '../ports/errors.ts';
import { retry } from './retry.ts';
import type { Timers } from './timers.ts';

const BACKOFF = { firstMs: 50, longestMs: 1_000 };

/**
 * Repeats `work` while a transient fault (a full disk, no quorum, back-pressure) stops it, until `isStopped`.
 * @param onFault called with the fault after each attempt that a transient fault stopped
 */
export async function retryTransient<T>(
  timers: Pick<Timers, 'delay'>,
  isStopped: () => boolean,
  work: () => Promise<T>,
  onFault: (fault: Error) => void = () => undefined,
): Promise<T> {
  const mayRetry = (error: unknown): boolean => {
    if (!isTransient(error)) return false;
    onFault(error);
    return !isStopped();
  };
  return retry(work, { backoff: BACKOFF, delay: (ms) => timers.delay(ms), mayRetry });
}
