import t from 'tap';
import { openDataFolder, openEmbeddedDocumentStore } from '@sentinel-node/platform';
import { skipWithoutOpenssl } from '@sentinel-node/test-kit/test-servers/certificate';
import { syslogCases } from './syslog-delivery-cases.ts';
import type { OpenStore } from './webhook-delivery-cases.ts';

t.setTimeout(900_000);

const embedded: OpenStore = async (t) => {
  const folder = openDataFolder(t.testdir());
  const store = await openEmbeddedDocumentStore({ folder });
  return { store, close: () => store.close().then(() => folder.release()) };
};

for (const [title, run] of Object.entries(syslogCases))
  void t.test(title, { skip: skipWithoutOpenssl }, (t) => run(t, embedded));
