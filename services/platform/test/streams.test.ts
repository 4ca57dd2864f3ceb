import t, { type Test } from 'tap';
import {
  CLAIMS_COLLECTION,
  type DocumentStore,
  openDataFolder,
  openEmbeddedDocumentStore,
  STREAMS_COLLECTION,
} from '../src/index.ts';
import { streamCases, sweepsByIndex } from './stream-cases.ts';

async function opened(t: Test): Promise<DocumentStore> {
  const folder = openDataFolder(t.testdir());
  const store = await openEmbeddedDocumentStore({ folder });
  t.teardown(async () => {
    await store.close();
    folder.release();
  });
  await store.ensure([STREAMS_COLLECTION, CLAIMS_COLLECTION]);
  return store;
}

for (const [title, run] of Object.entries(streamCases)) t.test(title, (t) => run(t, opened));
t.test('a sweep goes by an index', (t) => sweepsByIndex(t, opened));
