import type { CollectionName, Document, DocumentStore, Stored } from './document-store.ts';

/** Returns the document with the highest id; undefined in an empty collection. */
export async function newestOf<T extends Stored = Document>(
  store: Pick<DocumentStore, 'find'>,
  collection: CollectionName<T>,
): Promise<T | undefined> {
  const [newest] = await store.find(collection, { sort: { field: 'id', direction: 'desc' }, limit: 1 });
  return newest;
}
