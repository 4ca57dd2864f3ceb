/** Stores and a log for tests of views, in a folder that the test removes. */
import type { Test } from 'tap';
import {
  CLOCK_COLLECTION,
  EMBEDDED_TOPICS,
  openDataFolder,
  openEmbeddedDocumentStore,
  openEmbeddedEventLog,
  type Document,
  type DocumentStore,
  type EventLog,
} from '@sentinel-node/platform';
import { VIEW_COLLECTIONS } from '../src/views/index.ts';

type StoreLimits = { readonly pendingBytes?: number };

/** Returns all documents of all views. */
export async function everything(store: DocumentStore): Promise<Record<string, Document[]>> {
  const found: Record<string, Document[]> = {};
  for (const { name } of VIEW_COLLECTIONS) {
    found[name] = [];
    const anyName: string = name;
    for await (const page of store.scan(anyName)) found[name].push(...page);
  }
  return found;
}

export async function scratch(
  test: Test,
): Promise<{ log: EventLog; open: (file: string, limits?: StoreLimits) => Promise<DocumentStore> }> {
  const folder = openDataFolder(test.testdir());
  const log = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS });
  const stores: DocumentStore[] = [];
  test.teardown(async () => {
    await Promise.all([log.close(), ...stores.map((store) => store.close())]);
    folder.release();
  });
  const open = async (file: string, limits: StoreLimits = {}): Promise<DocumentStore> => {
    const store = await openEmbeddedDocumentStore({ folder, file, limits });
    stores.push(store);
    await store.ensure([...VIEW_COLLECTIONS, CLOCK_COLLECTION]);
    return store;
  };
  return { log, open };
}
