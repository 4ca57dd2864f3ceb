import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { MongoClient } from 'mongodb';
import t from 'tap';
import { silentLog } from '../src/logging/log.ts';
import { openMongoDocumentStore } from '../src/mongodb/index.ts';
import type { MongoDocumentStore, MongoDocumentStoreOptions } from '../src/mongodb/index.ts';
import { MONGO_STORE_LIMITS } from '../src/mongodb/limits.ts';
import { upsertOf } from '../src/ports/document-store.ts';
import { ConflictError, NotDurableError, OverloadedError } from '../src/ports/errors.ts';
import { startOwnMongo } from '@sentinel-node/test-kit/test-servers';
import { until } from './until.ts';

/** Allows for a machine that is busy with other work. */
t.setTimeout(900_000);
/** The default limits, shortened for a test. */
const SHORT = {
  connectMs: 1_000,
  heartbeatMs: 500,
  serverSelectionMs: 2_000,
  answerMs: 2_000,
  serverMs: 1_500,
};
/** Two attempts at an answer would take as long by the default limits; by the short ones there is time for a slow machine. */
const BOUND_MS = 2 * MONGO_STORE_LIMITS.answerMs;
const WRITERS = 8;

type Options = Partial<MongoDocumentStoreOptions> & { readonly url: string };

const open = (options: Options): Promise<MongoDocumentStore> =>
  openMongoDocumentStore({ database: `test-${randomUUID()}`, log: silentLog(), ...options });

const server = await startOwnMongo(t);
if (server !== undefined) {
  await t.test(
    'a server that is killed while many write: what resolved is there, callers go on',
    async (t) => {
      const store = await open({ url: server.url });
      t.teardown(() => store.close());
      await store.ensure([{ name: 'c', indexes: [{ fields: ['by'] }] }]);
      const resolved: string[] = [];
      const failures: unknown[] = [];
      let isEnd = false;
      const write = async (by: number): Promise<void> => {
        for (let n = 0; !isEnd; n++) {
          const id = `${by}-${n}`;
          try {
            if (n % 3 === 0) await store.insertUnique('c', { id, by });
            else if (n % 3 === 1) await store.bulkUpsert('c', [{ id, by, rev: n }]);
            else await store.insertMissing('c', [{ id, by }]);
            resolved.push(id);
          } catch (error) {
            failures.push(error);
          }
        }
      };
      const writers = Array.from({ length: WRITERS }, (_, by) => write(by));
      for (let round = 0; round < 2; round++) {
        const before = resolved.length;
        await until('writes', () => resolved.length > before + 20);
        await server.kill();
        await until('noticed', () => !store.reachable());
        await server.restart();
        const after = resolved.length;
        await until('writes go on', () => store.reachable() && resolved.length > after + 20);
      }
      isEnd = true;
      await Promise.all(writers);
      const found = new Set((await store.getMany('c', resolved)).map(({ id }) => id));
      t.same(
        resolved.filter((id) => !found.has(id)),
        [],
        `${resolved.length} resolved`,
      );
      // A lost write has an unknown outcome, or meets itself in the driver's second attempt.
      t.same(
        failures.filter((error) => !['NOT_DURABLE', 'CONFLICT'].includes((error as { code: string }).code)),
        [],
      );
    },
  );

  await t.test('a connection that hangs costs a bounded time, and works again', async (t) => {
    const store = await open({ url: server.proxied, limits: SHORT });
    t.teardown(() => store.close());
    await store.ensure([{ name: 'c', indexes: [] }]);
    await store.insertUnique('c', { id: 'a' });
    server.proxy.hang();
    const began = Date.now();
    const calls: readonly (() => Promise<unknown>)[] = [
      () => store.get('c', 'a'),
      () => store.find('c', { limit: 1 }),
      () => store.count('c'),
      () => store.insertUnique('c', { id: 'b' }),
      () => store.bulkUpsert('c', [{ id: 'c', rev: 1 }]),
      () => store.insertMissing('c', [{ id: 'd' }]),
      () => store.update('c', { id: 'a', rev: 1 }, 0),
      () => store.remove('c', ['x']),
      () => store.writeBatches([[upsertOf('c', [{ id: 'e', rev: 1 }])]]),
    ];
    await Promise.all(calls.map((call) => t.rejects(call, NotDurableError)));
    t.ok(Date.now() - began < BOUND_MS, `${Date.now() - began} ms`);
    await until('out of reach', () => !store.reachable());
    t.equal(store.pendingCalls(), 0);
    server.proxy.cut();
    server.proxy.resume();
    await until('reached again', () => store.reachable());
    t.same(await store.get('c', 'a'), { id: 'a' });
  });

  await t.test('a server that is away at the first write of a consumer is reached again', async (t) => {
    const store = await open({ url: server.proxied, limits: SHORT });
    t.teardown(() => store.close());
    await store.ensure([{ name: 'c', indexes: [] }]);
    const write = () => store.writeBatches([[upsertOf('c', [{ id: 'a', rev: 1 }])]]);
    server.proxy.hang();
    await t.rejects(write, NotDurableError);
    server.proxy.cut();
    server.proxy.resume();
    await until('reached again', () => store.reachable());
    await write();
    t.same(await store.get('c', 'a'), { id: 'a', rev: 1 });
  });

  await t.test('more calls, or bytes of them, than allowed are refused', async (t) => {
    const store = await open({ url: server.url, limits: { pendingCalls: 5, pendingBytes: 10_000 } });
    t.teardown(() => store.close());
    await store.ensure([{ name: 'c', indexes: [] }]);
    const insert = (size: number) => (_: unknown, n: number) =>
      store.insertUnique('c', { id: `${size}-${n}`, text: 'x'.repeat(size) });
    for (const [size, taken] of [
      [10, 5],
      [4_000, 2],
    ] as const) {
      const settled = await Promise.allSettled(Array.from({ length: 8 }, insert(size)));
      const refused = settled.filter((result) => result.status === 'rejected');
      t.equal(refused.length, 8 - taken);
      t.ok(refused.every(({ reason }) => reason instanceof OverloadedError));
    }
    await store.insertUnique('c', { id: 'alone', text: 'x'.repeat(20_000) });
    t.equal(await store.count('c'), 8);
  });

  await t.test('an index that was declared in another way before is named', async (t) => {
    const store = await open({ url: server.url });
    t.teardown(() => store.close());
    await store.ensure([{ name: 'c', indexes: [{ fields: ['org', 'time'] }] }]);
    const changed = { name: 'c', indexes: [{ fields: ['org', 'time'], sparse: true }] };
    await t.rejects(store.ensure([changed]), {
      code: 'INDEX_CHANGED',
      message: /c: the index org:1,time:1,_id:1/,
    });
    await t.rejects(store.ensure([{ name: 'd', indexes: [{ fields: ['v'], unique: true }] }]), TypeError);
    const twice = [{ fields: ['v'] }, { fields: ['v'], sparse: true }];
    await t.rejects(store.ensure([{ name: 'd', indexes: twice }]), TypeError);
  });

  await t.test('a collection that somebody changed so that documents are lost is refused', async (t) => {
    const database = `test-${randomUUID()}`;
    const client = await MongoClient.connect(server.url);
    t.teardown(() => client.close());
    const db = client.db(database);
    await db.createCollection('capped', { capped: true, size: 4_096 });
    await db.createCollection('checked', { validator: { field: { $exists: true } } });
    await db.createCollection('seen', { viewOn: 'capped', pipeline: [] });
    const store = await open({ url: server.url, database });
    t.teardown(() => store.close());
    const refused = (what: string, remedy: string) => ({
      code: 'COLLECTION_FOREIGN',
      message: `${what}, which this program gives no collection: documents would be refused, or be lost without a word. Stop all services, ${remedy}, then start again, and run sentinel audit`,
    });
    const plain = 'make it an ordinary collection with the same documents';
    const ensure = (name: string) => store.ensure([{ name, indexes: [] }]);
    await t.rejects(ensure('capped'), refused('capped: it is capped', plain));
    await t.rejects(ensure('checked'), refused('checked: it has a validator', plain));
    await t.rejects(ensure('seen'), refused('seen: it is a view', plain));

    const spec = { name: 'c', indexes: [{ fields: ['mail'], unique: true, sparse: true }] };
    await store.ensure([spec]);
    await db.collection('c').createIndex({ org: 1 }, { name: 'by_hand', unique: true });
    const document = { id: 'a', org: 'o', mail: 'm' };
    t.same(await store.insertMissing('c', [document, document]), ['a']);
    await t.rejects(store.insertMissing('c', [{ ...document, id: 'b', mail: 'n' }]), ConflictError);
    await t.rejects(store.ensure([spec]), refused('c: the index by_hand over org:1 is unique', 'drop it'));
    await db.collection('c').dropIndex('by_hand');
    await store.ensure([spec]);
    await store.ensure([{ name: 'c', indexes: [] }]);
    t.same(
      await store.insertMissing('c', [document]),
      [],
      'an index of another version of this program stays',
    );
  });

  await t.test(
    'a document that an unknown unique index refuses is not taken for one that is there',
    async (t) => {
      const database = `test-${randomUUID()}`;
      const client = await MongoClient.connect(server.url);
      t.teardown(() => client.close());
      const store = await open({ url: server.url, database });
      t.teardown(() => store.close());
      await store.ensure([{ name: 'c', indexes: [] }]);
      await client.db(database).collection('c').createIndex({ org: 1 }, { name: 'by_hand', unique: true });
      t.same(await store.insertMissing('c', [{ id: 'a', org: 'o' }]), ['a']);
      await t.rejects(store.insertMissing('c', [{ id: 'b', org: 'o' }]), ConflictError);
    },
  );

  await t.test('what MongoDB cannot hold is refused before it is sent', async (t) => {
    const store = await open({ url: server.url });
    t.teardown(() => store.close());
    await store.ensure([{ name: 'c', indexes: [] }]);
    const huge = { id: 'a', text: 'x'.repeat(17 * 1_048_576) };
    await t.rejects(store.insertUnique('c', huge), { code: 'DOCUMENT_TOO_LARGE' });
    let deep: readonly unknown[] = [];
    for (let level = 0; level < 120; level++) deep = [deep];
    for (const value of [deep, Number.NaN, new Date(), 1n])
      await t.rejects(store.insertUnique('c', { id: 'a', value: value as never }), TypeError);
    await store.insertUnique('c', { id: 'a', text: 'x'.repeat(6 * 1_048_576) });
    t.equal((await store.find('c', { limit: 2 })).length, 1);
  });
}

t.test('a server that is not there is told in a bounded time', async (t) => {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.teardown(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const began = Date.now();
  const url = `mongodb://127.0.0.1:${port}/?directConnection=true`;
  await t.rejects(open({ url, limits: SHORT }), NotDurableError);
  t.ok(Date.now() - began < BOUND_MS);
});
