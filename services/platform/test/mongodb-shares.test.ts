/** Many callers of one store: reads by id share commands, and what consumers of the log write has its own connections. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { startMongo } from '@sentinel-node/test-kit/test-servers';
import { silentLog } from '../src/logging/log.ts';
import { openMongoDocumentStore } from '../src/mongodb/index.ts';

/** Allows for a machine that is busy with other work. */
t.setTimeout(900_000);

const server = await startMongo(t);
if (server !== undefined) {
  await t.test(
    'reads by id at the same time share commands, and see what was written before them',
    async (t) => {
      let finds = 0;
      const store = await openMongoDocumentStore({
        ...{ url: server.url, log: silentLog(), database: `test-${randomUUID()}` },
        onCommand: ({ commandName }) => void (finds += Number(commandName === 'find')),
      });
      await store.ensure([{ name: 'c', indexes: [] }]);
      const ids = Array.from({ length: 500 }, (_, n) => `id ${n}`);
      await store.insertMissing(
        'c',
        ids.map((id) => ({ id, rev: 1 })),
      );
      finds = 0;
      const asked = ['missing', ...ids, ...ids];
      const read = () => Promise.all(asked.map((id) => store.get('c', id)));
      t.same(
        await read(),
        [undefined, ...ids, ...ids].map((id) => id && { id, rev: 1 }),
      );
      t.ok(finds < asked.length / 10, `${finds} commands`);
      const others = Promise.all([read(), read()]);
      await store.update('c', { id: 'id 7', rev: 2 }, 1);
      t.same(await store.get('c', 'id 7'), { id: 'id 7', rev: 2 });
      await others;
      await store.close();
      await t.rejects(store.get('c', 'id 7'), /closed/);
    },
  );

  await t.test('what consumers write does not wait behind the calls of people', async (t) => {
    const store = await openMongoDocumentStore({
      ...{ url: server.url, log: silentLog(), database: `test-${randomUUID()}` },
      // All calls wait for one connection, as long as a busy machine needs for them.
      limits: { connections: 1, batchConnections: 1, connectionWaitMs: 600_000 },
    });
    await store.ensure([{ name: 'c', indexes: [] }]);
    const write = (id: string) =>
      store.writeBatches([
        [{ collection: 'c', mode: 'upsert', documents: [{ id, rev: 1 }] }],
        [{ collection: 'c', mode: 'insertMissing', documents: [{ id: `${id} too` }] }],
      ]);
    // Opens the connection of the pool.
    await write('a');
    let answered = 0;
    const calls = Array.from({ length: 500 }, async () => {
      await store.find('c', { limit: 1 });
      answered += 1;
    });
    await write('b');
    t.ok(answered < calls.length, `${answered} of ${calls.length} calls were answered before`);
    await Promise.all(calls);
    t.equal(await store.count('c'), 4);
    await store.close();
  });
}
