import { ConflictError } from '@sentinel-node/platform';
import type { CollectionName, DocumentStore, Stored } from '@sentinel-node/platform';

/**
 * Replaces the document if it still has that revision, and returns whether it did. When another writer was first, the
 * next step reads the other's data.
 */
export async function updateIfCurrent<T extends Stored>(
  store: Pick<DocumentStore, 'update'>,
  collection: CollectionName<T>,
  document: NoInfer<T>,
  rev: number,
): Promise<boolean> {
  return wasFirst(store.update(collection, document, rev));
}

/** Returns whether the write came before every other writer's. */
export async function wasFirst(write: Promise<void>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConflictError) return false;
    throw error;
  }
}
