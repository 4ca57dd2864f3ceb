import t from 'tap';
import { openDataFolder, openEmbeddedDocumentStore } from '@sentinel-node/platform';
import { parkedCases, readsByIndex, type OpenStore } from './parked-files-cases.ts';

const embedded: OpenStore = async (t) => {
  const folder = openDataFolder(t.testdir());
  const store = await openEmbeddedDocumentStore({ folder });
  return { store, close: () => store.close().then(() => folder.release()) };
};
for (const [title, run] of Object.entries(parkedCases)) void t.test(title, (t) => run(t, embedded));
void t.test('the read uses an index', (t) => readsByIndex(t, embedded));
