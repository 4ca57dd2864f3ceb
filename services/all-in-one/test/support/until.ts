import { setTimeout as pause } from 'node:timers/promises';

/** What a test waits for at most, in milliseconds: generous, since many tests share two cores. */
export const DEADLINE_MS = 60_000;
/** What a whole file may take, in milliseconds; tap's own limit is shorter when a file runs alone. */
export const FILE_MS = 240_000;
/** The same for a file of faults: what a server does while it is away takes its time. */
export const FAULTS_MS = 600_000;
/** Between two looks: at first, and after a long wait. */
const LOOK_MS = 25;
const LOOK_MAX_MS = 250;
/** Looks come rarer the longer the wait is, so that they take little from what is waited for. */
const LOOKS_PER_WAIT = 20;

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
    const waited = Date.now() - began;
    if (waited > deadlineMs) throw new Error(`did not come within ${deadlineMs} ms: ${what}`);
    await pause(Math.min(LOOK_MAX_MS, Math.max(LOOK_MS, waited / LOOKS_PER_WAIT)));
  }
}
