import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import t from 'tap';
import type { Test } from 'tap';
import { documentStoreContract, PENDING_BYTES } from '@sentinel-node/test-kit/contract-suites';
import type { StoreUnderTest } from '@sentinel-node/test-kit/contract-suites';
import { silentLog } from '../src/logging/log.ts';
import { openMongoDocumentStore } from '../src/mongodb/index.ts';
import { SCAN_PAGE_DOCUMENTS } from '../src/mongodb/limits.ts';
import type { MongoDocumentStore } from '../src/mongodb/index.ts';
import type { CollectionSpec } from '../src/ports/document-store.ts';
import { plannerOf, startMongo } from '@sentinel-node/test-kit/test-servers';

/** Allows for a machine that is busy with other work. */
t.setTimeout(900_000);
const server = await startMongo(t);
if (server !== undefined) {
  const { url } = server;
  const planner = await plannerOf(url);
  const makeStore = async (t: Test, collections: readonly CollectionSpec[]): Promise<StoreUnderTest> => {
    const database = `test-${randomUUID()}`;
    let store: MongoDocumentStore | undefined;
    const open = async () => {
      await store?.close();
      store = await openMongoDocumentStore({
        ...{ url, database, log: silentLog() },
        limits: { pendingBytes: PENDING_BYTES },
      });
      await store.ensure(collections);
      return store;
    };
    t.teardown(async () => store?.close());
    return { store: await open(), reopen: open, planner };
  };
  await documentStoreContract(t, 'MongoDB document store', makeStore);

  t.test('scans and searches name a document whose id is no text, before or after the others', async (t) => {
    const name = 'scanned';
    const client = new MongoClient(url);
    t.teardown(() => client.close());
    for (const id of [7, new Date(7)]) {
      const database = `test-${randomUUID()}`;
      const store = await openMongoDocumentStore({ url, database, log: silentLog() });
      t.teardown(() => store.close());
      await store.ensure([{ name, indexes: [] }]);
      const documents = Array.from({ length: SCAN_PAGE_DOCUMENTS + 1 }, (_, at) => ({
        id: `a${at}`,
        rev: 1,
      }));
      await store.bulkUpsert(name, documents);
      const seen = async (): Promise<number> => {
        let count = 0;
        for await (const page of store.scan(name)) count += page.length;
        return count;
      };
      t.equal(await seen(), documents.length);
      await client.db(database).collection<{ _id: number | Date }>(name).insertOne({ _id: id });
      const named = { code: 'ID_NOT_TEXT', message: JSON.stringify(id) };
      await t.rejects(seen(), named, JSON.stringify(id));
      const limit = documents.length + 1;
      await t.rejects(store.find(name, { limit }), named, `a search, ${JSON.stringify(id)}`);
    }
  });
}
