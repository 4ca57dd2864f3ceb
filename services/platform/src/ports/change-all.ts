import type { CollectionName, DocumentStore, Stored } from './document-store.ts';
import { OverloadedError } from './errors.ts';

/** Rounds while other writers change the same documents. */
const ROUNDS = 20;

/**
 * Changes many documents in three commands, however many they are: reads them, writes those that need the change, and reads
 * them again, because another writer may have been first. Other writers must raise `rev` with each write, as
 * `saveIfCurrent` and this function do.
 * @param change returns the changed document, whose `rev` is set here; undefined for a document that holds the change, which
 * is how a lost write is noticed
 * @throws OverloadedError when others keep changing a document
 * @boundedBy the ids of one call
 */
export async function changeAll<T extends Stored & { readonly rev: number }>(
  store: Pick<DocumentStore, 'getMany' | 'bulkUpsert'>,
  collection: CollectionName<T>,
  ids: readonly string[],
  change: (id: string, found: T | undefined) => T | undefined,
): Promise<void> {
  let rest = ids;
  for (let round = 0; round < ROUNDS; round += 1) {
    const found = new Map((await store.getMany(collection, rest)).map((one) => [one.id, one]));
    const changed = rest.flatMap((id) => {
      const before = found.get(id);
      const after = change(id, before);
      return after === undefined ? [] : [{ ...after, rev: (before?.rev ?? 0) + 1 }];
    });
    if (changed.length === 0) return;
    await store.bulkUpsert(collection, changed);
    rest = changed.map(({ id }) => id);
  }
  throw new OverloadedError(`${collection}: others keep changing ${rest[0]}`);
}
