import { LIMITS } from '@sentinel-node/contracts';
import type { CollectionName, DocumentStore, Query, Stored } from '@sentinel-node/platform';

type Where = NonNullable<Query['where']>;

/**
 * Returns the newest documents of an organisation, newest first, and all that are in force, however old: what no list
 * shows cannot be ended.
 * @param inForce fewer than a list holds, by a limit of the organisation
 */
export async function newestAndInForce<T extends Stored>(
  store: DocumentStore,
  collection: CollectionName<T>,
  orgId: string,
  inForce: Where,
): Promise<T[]> {
  const read = (where: Where): Promise<T[]> =>
    store.find(collection, {
      where: { orgId, ...where },
      sort: { field: 'id', direction: 'desc' },
      limit: LIMITS.pageItems,
    });
  const [newest, current] = await Promise.all([read({}), read(inForce)]);
  const ids = new Set(current.map(({ id }) => id));
  const others = newest.filter(({ id }) => !ids.has(id)).slice(0, LIMITS.pageItems - current.length);
  return [...current, ...others].sort((one, other) => (one.id < other.id ? 1 : -1));
}
