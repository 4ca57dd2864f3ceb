import { setTimeout as pause } from 'node:timers/promises';

/** What a test waits for at most, in milliseconds: generous, since many tests share two cores. */
export const DEADLINE_MS = 60_000;
/** What a whole file may take, in milliseconds; tap's own limit is shorter when a file runs alone. */
export const FILE_MS = 240_000;
/** The same for a file of faults, five times what one takes on two cores: it only ends what is stuck. */
export const FAULTS_MS = 1_200_000;
/** A long wait leaves the processors to what it waits for. */
const LOOK_MS = { least: 10, most: 250 };
/** Of the time that has passed. */
const LOOK_SHARE = 1 / 8;

/** The next pause of a wait that began at `began`, both in milliseconds. */
export function nextLook(began: number): number {
  return Math.min(LOOK_MS.most, Math.max(LOOK_MS.least, (Date.now() - began) * LOOK_SHARE));
}

/** Looks again and again until `look` gives something. @throws Error that says what did not come */
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
