import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Test } from 'tap';
import { documentStoreContract, PENDING_BYTES } from '@sentinel-node/test-kit/contract-suites';
import type { StoreUnderTest } from '@sentinel-node/test-kit/contract-suites';
import { silentLog } from '../src/logging/log.ts';
import { openMongoDocumentStore } from '../src/mongodb/index.ts';
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
}
