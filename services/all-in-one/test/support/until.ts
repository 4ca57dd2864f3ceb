import { setTimeout as pause } from 'node:timers/promises';

/** Longest wait of a test, in ms; generous, because many tests share two cores. */
export const DEADLINE_MS = 180_000;
/** Longest time of a test file, in ms: five times the usual time of the longest; only ends a hanging test. */
export const FILE_MS = 900_000;
/**
 * Longest time of a file of fault tests, in ms: five times the usual time on two cores; only ends a hanging
 * test.
 */
export const FAULTS_MS = 1_800_000;
/**
 * Range of the pause between two looks, in ms; longer during a long wait, to leave the processors to the
 * work.
 */
const LOOK_MS = { least: 10, most: 250 };
/** Pause as a share of the time that has passed. */
const LOOK_SHARE = 1 / 8;

/** Returns the next pause of a wait that began at `began`, both in ms. */
export function nextLook(began: number): number {
  return Math.min(LOOK_MS.most, Math.max(LOOK_MS.least, (Date.now() - began) * LOOK_SHARE));
}

/**
 * Calls `look` repeatedly until its result is not undefined. @throws Error after the deadline, which names
 * `what`
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  const began = Date.now();
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > began + deadlineMs) throw new Error(`did not come within ${deadlineMs} ms: ${what}`);
    await pause(nextLook(began));
  }
}
