import { randomUUID } from 'node:crypto';
import t from 'tap';
import { silentLog } from '@sentinel-node/platform';
import { openMongoDocumentStore } from '@sentinel-node/platform/mongodb';
import { startMongo } from '@sentinel-node/test-kit/test-servers';
import { skipWithoutOpenssl } from '@sentinel-node/test-kit/test-servers/certificate';
import { syslogCases } from './syslog-delivery-cases.ts';
import type { OpenStore } from './webhook-delivery-cases.ts';

/** On a machine that does much else. */
t.setTimeout(900_000);
const server = await startMongo(t);
if (server !== undefined) {
  const mongodb: OpenStore = async () => {
    const database = `test-${randomUUID()}`;
    const store = await openMongoDocumentStore({ url: server.url, database, log: silentLog() });
    return { store, close: () => store.close() };
  };
  for (const [title, run] of Object.entries(syslogCases))
    void t.test(title, { skip: skipWithoutOpenssl }, (t) => run(t, mongodb));
}
