import type { Timers } from '@sentinel-node/platform';

/** Milliseconds between two looks of one wait: longer than the projector usually takes, together. */
const WAITS_MS = [20, 40, 80, 160, 320, 640] as const;

/** Looks again and again for a short time. Returns whether the views had caught up at one of the looks. */
export async function catchUpSoon(
  timers: Pick<Timers, 'delay'>,
  haveCaughtUp: () => Promise<boolean>,
): Promise<boolean> {
  for (const ms of WAITS_MS) {
    await timers.delay(ms);
    if (await haveCaughtUp()) return true;
  }
  return false;
}
