import { LIMITS } from '@sentinel-node/contracts';
import type { CollectionName, DocumentStore, Query, Stored } from '@sentinel-node/platform';

type Where = NonNullable<Query['where']>;

/**
 * Returns the newest documents of an organisation, newest first, and all that are in force, however old: what no list
 * shows cannot be ended.
 * @param inForce fewer than a list holds, by a limit of the organisation
 * @param sortedBy the field of a range in `inForce`, the last of an index
 */
export async function newestAndInForce<T extends Stored>(
  store: DocumentStore,
  collection: CollectionName<T>,
  orgId: string,
  inForce: Where,
  sortedBy: string,
): Promise<T[]> {
  const limit = LIMITS.pageItems;
  const [newest, current] = await Promise.all([
    store.find(collection, { where: { orgId }, sort: { field: 'id', direction: 'desc' }, limit }),
    store.find(collection, {
      where: { orgId, ...inForce },
      sort: { field: sortedBy, direction: 'asc' },
      limit,
    }),
  ]);
  const ids = new Set(current.map(({ id }) => id));
  const others = newest.filter(({ id }) => !ids.has(id)).slice(0, limit - current.length);
  return [...current, ...others].sort((one, other) => (one.id < other.id ? 1 : -1));
}
