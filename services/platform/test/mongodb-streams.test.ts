import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { CLAIMS_COLLECTION, silentLog, STREAMS_COLLECTION } from '../src/index.ts';
import { openMongoDocumentStore } from '../src/mongodb/index.ts';
import { plannerOf, startMongo } from '@sentinel-node/test-kit/test-servers';
import { streamCases, sweepsByIndex } from './stream-cases.ts';

/** Allows for a machine that is busy with other work. */
t.setTimeout(900_000);
const server = await startMongo(t);
if (server !== undefined) {
  const opened = async (t: Test) => {
    const database = `test-${randomUUID()}`;
    const store = await openMongoDocumentStore({ url: server.url, database, log: silentLog() });
    t.teardown(() => store.close());
    await store.ensure([STREAMS_COLLECTION, CLAIMS_COLLECTION]);
    return store;
  };
  for (const [title, run] of Object.entries(streamCases)) await t.test(title, (t) => run(t, opened));
  const skip = (await plannerOf(server.url)) !== 'full' && 'this server does not say how it finds documents';
  await t.test('a sweep goes by an index', { skip }, (t) => sweepsByIndex(t, opened));
}
