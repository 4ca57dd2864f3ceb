import { randomUUID } from 'node:crypto';
import t from 'tap';
import { silentLog } from '@sentinel-node/platform';
import { openMongoDocumentStore } from '@sentinel-node/platform/mongodb';
import { plannerOf, startMongo } from '@sentinel-node/test-kit/test-servers';
import { parkedCases, readsByIndex, type OpenStore } from './parked-files-cases.ts';

/** On a machine that does much else. */
t.setTimeout(900_000);
const server = await startMongo(t);
if (server !== undefined) {
  const mongodb: OpenStore = async () => {
    const database = `test-${randomUUID()}`;
    const store = await openMongoDocumentStore({ url: server.url, database, log: silentLog() });
    return { store, close: () => store.close() };
  };
  for (const [title, run] of Object.entries(parkedCases)) void t.test(title, (t) => run(t, mongodb));
  const skip = (await plannerOf(server.url)) !== 'full' && 'this server does not say how it finds documents';
  void t.test('the read uses an index', { skip }, (t) => readsByIndex(t, mongodb));
}
