import type { CollectionName, Document, DocumentStore, Stored } from './document-store.ts';
import { ConflictError } from './errors.ts';

/**
 * Inserts a document or replaces one revision of it. Returns false when another writer was first.
 * @param rev revision to replace; undefined inserts the document
 * @throws every error of the write but ConflictError
 */
export async function saveIfCurrent<T extends Stored = Document>(
  store: Pick<DocumentStore, 'insertUnique' | 'update'>,
  collection: CollectionName<T>,
  document: NoInfer<T>,
  rev: number | undefined,
): Promise<boolean> {
  try {
    if (rev === undefined) await store.insertUnique(collection, document);
    else await store.update(collection, document, rev);
    return true;
  } catch (error) {
    if (error instanceof ConflictError) return false;
    throw error;
  }
}
