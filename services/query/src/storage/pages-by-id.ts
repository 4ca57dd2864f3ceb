import type { CollectionName, DocumentStore, Query, Stored } from '@sentinel-node/platform';

/**
 * Yields all documents that fit, by id, at most `limit` at once; none when none fits. One that is added meanwhile comes if its id
 * is still to come. @param after only documents with a higher id; default: all
 */
export async function* pagesById<T extends Stored>(
  store: Pick<DocumentStore, 'find'>,
  collection: CollectionName<T>,
  where: NonNullable<Query['where']>,
  limit: number,
  after = '',
): AsyncGenerator<T[]> {
  for (let last = after; ;) {
    const found = await store.find(collection, { where: { ...where, id: { gt: last } }, limit });
    if (found.length > 0) yield found;
    if (found.length < limit) return;
    last = found.at(-1)!.id;
  }
}
