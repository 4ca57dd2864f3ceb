import { randomUUID } from 'node:crypto';
import t from 'tap';
import { createLog } from '@sentinel-node/platform';
import { openMongoDocumentStore } from '@sentinel-node/platform/mongodb';
import { startMongo } from '@sentinel-node/test-kit/test-servers';
import { ALL_COLLECTIONS } from '../src/all-collections.ts';
import { startChild } from './support/child.ts';
import { SENTINEL } from './support/node.ts';
import { FILE_MS } from './support/until.ts';

t.setTimeout(FILE_MS);
const server = await startMongo(t);
if (server !== undefined) {
  const url = new URL(server.url);
  url.pathname = `/test-${randomUUID()}`;
  const env = {
    SENTINEL_KAFKA_BROKERS: '127.0.0.1:9',
    SENTINEL_MONGODB_URL: url.href,
    SENTINEL_SECRET: 'only for this test, 32 characters',
  };
  const run = (...args: string[]) => startChild(t, [SENTINEL, 'collections', ...args], env);

  await t.test('sentinel collections makes all of them, before any service ran', async (t) => {
    for (const time of ['first', 'second']) {
      const child = run();
      t.match(await child.ended, { code: 0 }, `${time} time: ${child.stderr()}`);
      t.equal(child.stdout(), `collections with their indexes: ${ALL_COLLECTIONS.length}\n`);
    }
    const store = await openMongoDocumentStore({
      url: url.href,
      log: createLog({ level: 'silent', service: 'test' }),
    });
    t.teardown(() => store.close());
    const names = ALL_COLLECTIONS.map(({ name }) => name);
    t.strictSame((await store.collections()).sort(), [...new Set(names)].sort());
    t.equal(new Set(names).size, names.length, 'none is named twice');
  });

  await t.test('--shard without a router: one line, and nothing is done', async (t) => {
    const child = run('--shard');
    t.match(await child.ended, { code: 1 });
    t.match(child.stderr(), /^sentinel collections: the URL leads to no router \(mongos\).*\n$/m);
  });
}
