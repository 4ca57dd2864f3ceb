/** Runs the contract suite of the document store on the given server. */
import t, { type Test } from 'tap';
import { silentLog, type CollectionSpec } from '@sentinel-node/platform';
import { openMongoDocumentStore, type MongoDocumentStore } from '@sentinel-node/platform/mongodb';
import {
  documentStoreContract,
  PENDING_BYTES,
  type StoreUnderTest,
} from '@sentinel-node/test-kit/contract-suites';
import { plannerOf } from '@sentinel-node/test-kit/test-servers';
import { FAULTS_MS } from '../support/until.ts';
import { given, newDatabase } from './given.ts';

t.setTimeout(FAULTS_MS);
const { mongodbUrl: url } = given();
const planner = await plannerOf(url);

async function makeStore(t: Test, collections: readonly CollectionSpec[]): Promise<StoreUnderTest> {
  const database = newDatabase();
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
}

await documentStoreContract(t, 'MongoDB document store', makeStore);
