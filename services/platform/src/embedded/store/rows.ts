import { checkDocument, checkIndexed } from '../../ports/document-checks.ts';
import type { CollectionSpec, Scalar, Stored } from '../../ports/document-store.ts';
import type { CollectionLayout, DocumentRows } from './store-protocol.ts';

/**
 * Returns documents in the writer's form, with the size of their bodies.
 * @throws TypeError for unsupported values
 */
export function rowsOf(
  { name, columns, batched }: CollectionLayout,
  documents: readonly Stored[],
): { readonly rows: DocumentRows; readonly bytes: number } {
  for (const document of documents) checkDocument(document);
  const bodies = documents.map((document) => JSON.stringify(document));
  const rows = {
    ids: documents.map(({ id }) => id),
    revs: documents.map(({ rev }) => rev ?? null),
    bodies,
    values: columns.map(({ field }) => documents.map((document) => checkIndexed(document, field))),
    ...(batched && { keys: batched.fields.map((field) => documents.map((one) => keyOf(name, one, field))) }),
  };
  return { rows, bytes: bodies.reduce((sum, body) => sum + body.length, 0) };
}

function keyOf(collection: string, document: Stored, field: string): Scalar {
  const key = checkIndexed(document, field);
  if (key === null) throw new TypeError(`${collection}: a document has no ${field}, which its index needs`);
  return key;
}

/** @throws TypeError for a batched index that the store cannot have */
export function checkBatched({ name, indexes }: CollectionSpec): void {
  for (const { fields, batched, unique, sparse } of indexes)
    if (batched && (fields.length !== 2 || unique || sparse))
      throw new TypeError(`${name}: a batched index has two fields and is neither unique nor sparse`);
}

/** @throws TypeError for a collection that takes documents by `insertMissing` only */
export function refuseChange({ name, batched }: CollectionLayout): void {
  if (batched !== undefined) throw new TypeError(`${name}: its documents are inserted once and never change`);
}
