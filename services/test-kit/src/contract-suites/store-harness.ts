import { randomUUID } from 'node:crypto';
import type { CollectionSpec, Document, DocumentStore, IndexSpec } from '@sentinel-node/platform';

export function collection(indexes: readonly IndexSpec[], immutable = false): CollectionSpec<Document> {
  return { name: `contract-${randomUUID()}`, indexes, immutable };
}

/** Returns all documents of a scan. */
export async function drained(store: DocumentStore, name: string): Promise<Document[]> {
  const found: Document[] = [];
  for await (const page of store.scan(name)) found.push(...page);
  return found;
}
