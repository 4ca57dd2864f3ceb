import { checkDocument, checkIndexed } from '../../ports/document-checks.ts';
import type { Stored } from '../../ports/document-store.ts';
import type { CollectionLayout, DocumentRows } from './store-protocol.ts';

/**
 * Returns documents in the writer's form, with the size of their bodies.
 * @throws TypeError for unsupported values
 */
export function rowsOf(
  { columns }: CollectionLayout,
  documents: readonly Stored[],
): { readonly rows: DocumentRows; readonly bytes: number } {
  for (const document of documents) checkDocument(document);
  const bodies = documents.map((document) => JSON.stringify(document));
  const rows = {
    ids: documents.map(({ id }) => id),
    revs: documents.map(({ rev }) => rev ?? null),
    bodies,
    values: columns.map(({ field }) => documents.map((document) => checkIndexed(document, field))),
  };
  return { rows, bytes: bodies.reduce((sum, body) => sum + body.length, 0) };
}
