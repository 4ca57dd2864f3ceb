import { replacedBy, type DocumentStore } from '@sentinel-node/platform';
import { ALL_COLLECTIONS } from './all-collections.ts';

const KNOWN: ReadonlySet<string> = new Set(ALL_COLLECTIONS.map(({ name }) => name));

/**
 * Returns the names of the collections with documents that this version does not know, sorted. A later version made them, before
 * this one was installed again: nothing here backs them up or compares them.
 */
export async function unknownCollections(store: DocumentStore): Promise<string[]> {
  const unknown: string[] = [];
  for (const name of await store.collections()) {
    if (KNOWN.has(name) || replacedBy(name) !== undefined) continue;
    const found = await store.find(name, { limit: 1 });
    if (found.length > 0) unknown.push(name);
  }
  return unknown.sort();
}
