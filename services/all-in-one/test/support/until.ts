import { setTimeout as pause } from 'node:timers/promises';

/** What a test waits for at most, in milliseconds: generous, since many tests share two cores. */
export const DEADLINE_MS = 60_000;
/** What a whole file may take, in milliseconds; tap's own limit is shorter when a file runs alone. */
export const FILE_MS = 240_000;
/** The same for a file of faults: what a server does while it is away takes its time. */
export const FAULTS_MS = 600_000;
const LOOK_MS = 25;

/** Looks again and again until `look` gives something. @throws Error that says what did not come */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`did not come within ${deadlineMs} ms: ${what}`);
    await pause(LOOK_MS);
  }
}
