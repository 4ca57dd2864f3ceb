/** What works without being asked: leftovers of commits and claims, mails, what has run out, the feed. */
import { startSweeper, type Repeating } from '@sentinel-node/platform';
import type { QueryDeps } from './deps.ts';
import type { Parts } from './parts.ts';
import type { Reading } from './reading.ts';
import { startHousekeeping } from './signin/housekeeping.ts';

export interface Background {
  /** Rejects when one of them failed. */
  readonly failed: Promise<never>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function backgroundOf(
  { store, clock, timers }: QueryDeps,
  { mail, commits }: Parts,
  { hub, claims }: Reading,
): Background {
  let running: readonly Repeating[] = [];
  let fail: (error: unknown) => void;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  failed.catch(() => undefined);
  return {
    failed,
    start: async () => {
      running = [
        await startSweeper(commits, clock, timers),
        await startSweeper(claims, clock, timers),
        mail.start(),
        startHousekeeping(store, clock, timers),
      ];
      for (const repeating of running) repeating.failed.catch((error: unknown) => fail(error));
      await hub.start();
    },
    stop: async () => {
      await hub.stop();
      // Together: a look for mails can wait for a slow server, which `mail.stop` cuts short.
      await Promise.all([mail.stop(), ...running.map((repeating) => repeating.stop())]);
    },
  };
}
