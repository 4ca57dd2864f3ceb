import {
  ignoreTransient,
  type CollectionSpec,
  type DocumentStore,
  type Repeating,
} from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';

const EVERY_MS = 60_000;
const PAGE = 500;

/** Removes the documents of `collections` whose `expiresAt` has passed. Reads check the time on their own. */
export function startHousekeeping(
  { store, clock, timers }: Pick<QueryContext, 'store' | 'clock' | 'timers'>,
  collections: readonly CollectionSpec[],
): Repeating {
  const removeAll = async (): Promise<void> => {
    for (const { name } of collections) await removeExpired(store, name, clock.now());
  };
  return timers.every(EVERY_MS, ignoreTransient(removeAll));
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
