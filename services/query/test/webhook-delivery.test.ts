import t from 'tap';
import { openDataFolder, openEmbeddedDocumentStore } from '@sentinel-node/platform';
import { boundCases, deliveryCases, readsByIndex, type OpenStore } from './webhook-delivery-cases.ts';

const embedded: OpenStore = async (t) => {
  const folder = openDataFolder(t.testdir());
  const store = await openEmbeddedDocumentStore({ folder });
  return { store, close: () => store.close().then(() => folder.release()) };
};

for (const [title, run] of Object.entries({ ...deliveryCases, ...boundCases }))
  void t.test(title, (t) => run(t, embedded));
void t.test('every read of the queue uses an index', (t) => readsByIndex(t, embedded));
