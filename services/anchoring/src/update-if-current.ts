import { ConflictError } from '@sentinel-node/platform';
import type { CollectionName, DocumentStore, Stored } from '@sentinel-node/platform';

/** Whether the document still had that revision, and is replaced. Another writer was first: the next step sees what it wrote. */
export async function updateIfCurrent<T extends Stored>(
  store: Pick<DocumentStore, 'update'>,
  collection: CollectionName<T>,
  document: NoInfer<T>,
  rev: number,
): Promise<boolean> {
  try {
    await store.update(collection, document, rev);
    return true;
  } catch (error) {
    if (error instanceof ConflictError) return false;
    throw error;
  }
}
