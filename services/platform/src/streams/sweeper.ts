import type { Clock } from '../ports/ambient.ts';
import type { Repeating, Timers } from '../ambient/timers.ts';
import { ignoreTransient } from '../ambient/ignore-transient.ts';
import type { Outbox, OutboxEntry } from './outbox.ts';

/** Time between two sweeps, in milliseconds. */
export const SWEEP_INTERVAL_MS = 1_000;
/** Entries younger than this are left to their writer, in milliseconds. */
export const SWEEP_MIN_AGE_MS = 2_000;

/**
 * Publishes every leftover now. Until stopped, sweeps publish the leftovers of writers that ended or could not publish.
 */
export async function startSweeper<T extends OutboxEntry>(
  outbox: Outbox<T>,
  clock: Clock,
  timers: Pick<Timers, 'every'>,
): Promise<Repeating> {
  await outbox.sweep();
  const sweep = async (): Promise<void> => {
    await outbox.sweep(clock.now() - SWEEP_MIN_AGE_MS);
  };
  return timers.every(SWEEP_INTERVAL_MS, ignoreTransient(sweep));
}
