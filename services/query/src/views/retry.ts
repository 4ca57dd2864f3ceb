import { isTransient, retry, type Timers } from '@sentinel-node/platform';

const BACKOFF = { firstMs: 50, longestMs: 1_000 };

/** Repeats `work` while a transient fault (a full disk, no quorum, back-pressure) stops it, until `isStopped`. */
export async function retryTransient<T>(
  timers: Pick<Timers, 'delay'>,
  isStopped: () => boolean,
  work: () => Promise<T>,
): Promise<T> {
  const mayRetry = (error: unknown) => isTransient(error) && !isStopped();
  return retry(work, { backoff: BACKOFF, delay: (ms) => timers.delay(ms), mayRetry });
}
