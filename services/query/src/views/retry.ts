import { isPassing, type Timers } from '@sentinel-node/platform';

/** Between two attempts, in milliseconds; doubles up to the longest. */
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;

/** Again until a passing fault (a full disk, no quorum, back-pressure) is over; `isStopped` ends it with the fault. */
export async function untilTaken<T>(
  timers: Pick<Timers, 'delay'>,
  isStopped: () => boolean,
  work: () => Promise<T>,
): Promise<T> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || isStopped()) throw error;
      await timers.delay(wait);
    }
  }
}
