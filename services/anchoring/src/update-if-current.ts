import { ConflictError } from '@sentinel-node/platform';
import type { Document, DocumentStore } from '@sentinel-node/platform';

/** Whether the document still had that revision, and is replaced. Another writer was first: the next step sees what it wrote. */
export async function updateIfCurrent(
  store: Pick<DocumentStore, 'update'>,
  collection: string,
  document: Document & { readonly rev: number },
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
