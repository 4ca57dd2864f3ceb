import {
  skipPassing,
  type Clock,
  type DocumentStore,
  type Repeating,
  type Timers,
} from '@sentinel-node/platform';
import { ACTIVATIONS_COLLECTION } from '../commands/activations.ts';
import { SESSIONS_COLLECTION } from './sessions.ts';
import { SIGN_INS_COLLECTION } from './sign-ins.ts';

const EVERY_MS = 60_000;
const PAGE = 500;
const EXPIRING = [SESSIONS_COLLECTION, SIGN_INS_COLLECTION, ACTIVATIONS_COLLECTION];

/** Removes sessions, claimed tokens and activations that have run out; every read checks the time by itself. */
export function startHousekeeping(store: DocumentStore, clock: Clock, timers: Timers): Repeating {
  const removeAll = async (): Promise<void> => {
    for (const { name } of EXPIRING) await removeExpired(store, name, clock.now());
  };
  return timers.every(EVERY_MS, skipPassing(removeAll));
}

export async function removeExpired(store: DocumentStore, collection: string, now: number): Promise<void> {
  for (;;) {
    const expired = await store.find(collection, {
      where: { expiresAt: { lt: now } },
      sort: { field: 'expiresAt', direction: 'asc' },
      limit: PAGE,
    });
    if (expired.length > 0)
      await store.remove(
        collection,
        expired.map(({ id }) => id),
      );
    if (expired.length < PAGE) return;
  }
}
