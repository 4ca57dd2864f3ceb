import { LIMITS } from '@sentinel-node/contracts';
import type { CollectionName, DocumentStore, Query, Stored } from '@sentinel-node/platform';

/** Selects documents that end after now. */
interface InForce {
  /** The field with the time of the end, the last of an index. */
  readonly endsAt: string;
  /** Milliseconds. */
  readonly now: number;
  /** A further condition. */
  readonly where?: NonNullable<Query['where']>;
}

/**
 * Returns the newest documents of an organisation, newest first, and all that are in force, however old: what no list
 * shows cannot be ended.
 * @param inForce fewer than a list holds, by a limit of the organisation
 */
export async function newestAndInForce<T extends Stored>(
  store: DocumentStore,
  collection: CollectionName<T>,
  orgId: string,
  { endsAt, now, where = {} }: InForce,
): Promise<T[]> {
  const limit = LIMITS.pageItems;
  const [newest, current] = await Promise.all([
    store.find(collection, { where: { orgId }, sort: { field: 'id', direction: 'desc' }, limit }),
    store.find(collection, {
      where: { orgId, ...where, [endsAt]: { gt: now } },
      sort: { field: endsAt, direction: 'asc' },
      limit,
    }),
  ]);
  const ids = new Set(current.map(({ id }) => id));
  const others = newest.filter(({ id }) => !ids.has(id)).slice(0, limit - current.length);
  return [...current, ...others].sort((one, other) => (one.id < other.id ? 1 : -1));
}
