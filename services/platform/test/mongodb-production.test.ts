/**
 * Tests behaviour that real clusters have and the stand-in lacks, with a server that gives the answers of each test.
 */
import type { Document } from 'mongodb';
import t from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import type { Test } from 'tap';
import { silentLog } from '../src/logging/log.ts';
import { ERROR_CODES } from '../src/mongodb/error-codes.ts';
import { openMongoDocumentStore } from '../src/mongodb/index.ts';
import type { MongoDocumentStore } from '../src/mongodb/index.ts';
import { startWireServer } from './mongo-wire.ts';
import type { Answers, WireServer } from './mongo-wire.ts';

const MEMBER = { setName: 'rs0' };
const ROUTER = { msg: 'isdbgrid' };
const FILES = { name: 'files', indexes: [{ fields: ['orgId', 'name'] }] };
const LINKS = { name: 'links', immutable: true, indexes: [{ fields: ['fileId', 'number'] }] };

const cursor = (collection: string, ...firstBatch: readonly Document[]): Document => ({
  ok: 1,
  cursor: { id: 0n, ns: `db.${collection}`, firstBatch },
});
const failure = (code: number, codeName: string): Document => ({ ok: 0, code, codeName, errmsg: codeName });
const named = (server: WireServer, name: string): Document[] =>
  server.commands.filter((command) => Object.keys(command)[0] === name);

const isRead = (command: Document): boolean =>
  ['find', 'listCollections', 'listIndexes'].some((name) => name in command);

/** Answers as an empty server does, unless the test has an answer. */
function empty(answers: Answers): Answers {
  return (command) => answers(command) ?? (isRead(command) ? cursor('c') : undefined);
}

async function scene(
  t: Test,
  hello: Document,
  answers: Answers = () => undefined,
): Promise<{ store: MongoDocumentStore; server: WireServer }> {
  const server = await startWireServer(t, hello, empty(answers));
  const store = await openMongoDocumentStore({ url: server.url, database: 'db', log: silentLog() });
  t.teardown(() => store.close());
  return { store, server };
}

t.test('each code of the server is what the table says, through the driver', async (t) => {
  let answer: Document | undefined;
  const { store } = await scene(t, MEMBER, (command) => ('find' in command ? answer : undefined));
  await store.ensure([FILES]);
  const codes = {
    passing: 'NOT_DURABLE',
    overloaded: 'OVERLOADED',
    conflict: 'CONFLICT',
    permanent: undefined,
  };
  for (const [code, name, kind] of ERROR_CODES) {
    answer = failure(code, name);
    const thrown = await store.get('files', 'a').then(
      () => undefined,
      (error: Error & { code?: unknown }) => error,
    );
    t.equal(typeof thrown?.code === 'string' ? thrown.code : undefined, codes[kind], `${code} ${name}`);
  }
  for (const code of [365, 11_601, 117, 46, 249, 211, 70, 18, 8_000])
    t.ok(
      ERROR_CODES.some(([listed, , kind]) => listed === code && kind === 'passing'),
      `${code} ends no process`,
    );
  answer = { ...failure(999_999, 'OfTomorrow'), errorLabels: ['RetryableWriteError'] };
  await t.rejects(store.get('files', 'a'), { code: 'NOT_DURABLE' }, 'a label counts whatever the code is');
});

t.test('a write that is refused for two causes is judged by the one that is no duplicate', async (t) => {
  const refusals = (...codes: readonly number[]): Document => ({
    ok: 1,
    n: 0,
    writeErrors: codes.map((code, index) => ({ index, code, errmsg: `refused by ${code}` })),
  });
  const documents = ['a', 'b'].map((id) => ({ id, rev: 1, orgId: 'o', name: id }));
  for (const codes of [
    [11_000, 112],
    [112, 11_000],
  ]) {
    const { store } = await scene(t, MEMBER, (command) =>
      'update' in command || 'insert' in command ? refusals(...codes) : undefined,
    );
    await store.ensure([FILES]);
    const passing = { code: 'NOT_DURABLE', message: /refused by 112/ };
    await t.rejects(store.bulkUpsert('files', documents), passing, `${codes.join()}: upsert`);
    await t.rejects(store.insertMissing('files', documents), passing, `${codes.join()}: insert`);
  }
  const { store } = await scene(t, MEMBER, (command) =>
    'update' in command ? refusals(11_000, 121) : undefined,
  );
  await store.ensure([FILES]);
  await t.rejects(
    store.bulkUpsert('files', documents),
    { name: 'MongoServerError', code: 121 },
    'what no retry changes stays unexpected',
  );
});

t.test('a write that the server refuses as too much is not known to be undone', async (t) => {
  const tooMuch = { ...failure(433, 'AdmissionQueueOverflow'), errorLabels: ['SystemOverloadedError'] };
  const document = { id: 'a', rev: 1, orgId: 'o', name: 'a' };
  const writes: Readonly<Record<string, (store: MongoDocumentStore) => Promise<unknown>>> = {
    upsert: (store) => store.bulkUpsert('files', [document]),
    insertMissing: (store) => store.insertMissing('files', [document]),
    insertUnique: (store) => store.insertUnique('files', document),
    update: (store) => store.update('files', document, 0),
    remove: (store) => store.remove('files', ['a']),
  };
  const isWrite = (command: Document): boolean =>
    'insert' in command || 'update' in command || 'delete' in command;
  const stored = {
    ok: 1,
    n: 1,
    nModified: 1,
    writeConcernError: { code: 64, codeName: 'WriteConcernTimeout', errmsg: 'waiting for replication' },
    errorLabels: ['SystemOverloadedError'],
  };
  for (const [cause, answer] of Object.entries({ refused: tooMuch, 'not stored by a majority': stored })) {
    const { store } = await scene(t, MEMBER, (command) => (isWrite(command) ? answer : undefined));
    await store.ensure([FILES]);
    for (const [name, write] of Object.entries(writes))
      await t.rejects(write(store), { code: 'NOT_DURABLE' }, `${name}: ${cause}`);
  }
  const { store } = await scene(t, MEMBER, (command) => ('find' in command ? tooMuch : undefined));
  await store.ensure([FILES]);
  await t.rejects(store.get('files', 'a'), { code: 'OVERLOADED' }, 'a read has changed nothing');
});

t.test('an index that another process is making is waited for', async (t) => {
  let finish = (): void => undefined;
  const finished = new Promise<Document>((resolve) => (finish = () => resolve({ ok: 1 })));
  let begun = (): void => undefined;
  const asked = new Promise<void>((resolve) => (begun = resolve));
  const { store, server } = await scene(t, MEMBER, (command) => {
    if ('listIndexes' in command)
      return cursor(
        'files.$cmd.listIndexes',
        { v: 2, key: { _id: 1 }, name: '_id_' },
        { v: 2, key: { orgId: 1, name: 1, _id: 1 }, name: 'orgId.name' },
      );
    if (!('createIndexes' in command)) return undefined;
    begun();
    return finished;
  });
  let isReady = false;
  const ensured = store.ensure([FILES]).then(() => (isReady = true));
  await asked;
  // Every other call of the store is answered meanwhile, so an answer to `ensure` would have come too.
  await store.collections().catch(() => undefined);
  t.notOk(isReady, 'listIndexes names the index, but it does not serve yet');
  finish();
  await ensured;
  matchList(t, named(server, 'createIndexes'), [
    { commitQuorum: 'majority', writeConcern: { w: 'majority' } },
  ]);
});

t.test('a standalone server, which refuses a commit quorum, is not asked for one', async (t) => {
  const { store, server } = await scene(t, {});
  await store.ensure([FILES]);
  t.equal(named(server, 'createIndexes').length, 1);
  t.notOk('commitQuorum' in named(server, 'createIndexes')[0]!);
});

t.test('a user whom the server does not know: one line that says where it looked', async (t) => {
  const refuse: Answers = (command) =>
    'saslStart' in command ? failure(18, 'AuthenticationFailed') : undefined;
  const server = await startWireServer(t, MEMBER, refuse);
  const url = server.url.replace('mongodb://', 'mongodb://ann:secret@').replace('/?', '/sentinel?');
  const opened = openMongoDocumentStore({ url, log: silentLog() });
  await t.rejects(opened, { code: 'STORE_SIGN_IN_REFUSED', message: /"sentinel".*authSource=/ });
  await t.rejects(opened, { message: /^(?!.*secret)/ }, 'without the password');
});

t.test('Atlas has one code for a refused user and for what passes', async (t) => {
  const openWith = async (errmsg: string) => {
    const refuse: Answers = (command) =>
      'saslStart' in command ? { ok: 0, code: 8_000, codeName: 'AtlasError', errmsg } : undefined;
    const server = await startWireServer(t, MEMBER, refuse);
    const url = server.url.replace('mongodb://', 'mongodb://ann:secret@').replace('/?', '/sentinel?');
    return openMongoDocumentStore({ url, log: silentLog() });
  };
  await t.rejects(openWith('bad auth : Authentication failed.'), { code: 'STORE_SIGN_IN_REFUSED' });
  await t.rejects(openWith('the proxy has lost its server'), { code: 'NOT_DURABLE' });
});

t.test('in a sharded cluster', async (t) => {
  const shardedBy = (key: Document, more: Document = {}): Answers => {
    const known = { _id: 'db.files', key, unique: false, ...more };
    return (command) => (command['find'] === 'collections' ? cursor('collections', known) : undefined);
  };
  await t.test('another key than writes rely on is refused, and nothing is changed', async (t) => {
    for (const key of [{ orgId: 'hashed' }, { _id: 1 }, { orgId: 1, _id: 1 }]) {
      const { store, server } = await scene(t, ROUTER, shardedBy(key));
      await t.rejects(store.ensure([FILES]), {
        code: 'SHARD_KEY',
        message: /files: sharded by .*"_id":"hashed"/,
      });
      t.same(named(server, 'createIndexes'), []);
    }
  });

  await t.test('the right key, and a collection on one shard, are taken', async (t) => {
    const right = [shardedBy({ _id: 'hashed' }), shardedBy({ _id: 1 }, { unsplittable: true })];
    for (const answers of [...right, () => undefined]) {
      const { store, server } = await scene(t, ROUTER, answers);
      await store.ensure([FILES]);
      t.equal(named(server, 'createIndexes').length, 1);
    }
  });

  await t.test('an empty database is sharded, each collection by its key', async (t) => {
    const { store, server } = await scene(t, ROUTER);
    t.same(await store.shard([FILES, LINKS]), ['files', 'links']);
    matchList(t, named(server, 'shardCollection'), [
      { shardCollection: 'db.files', key: { _id: 'hashed' }, unique: false },
      { shardCollection: 'db.links', key: { fileId: 'hashed' }, unique: false },
    ]);
  });

  await t.test('a second time changes nothing; documents on one shard stay where they are', async (t) => {
    const again = await scene(t, ROUTER, shardedBy({ _id: 'hashed' }));
    t.same(await again.store.shard([FILES]), []);
    const filled = await scene(t, ROUTER, (command) =>
      command['find'] === 'files' ? cursor('files', { _id: 'a' }) : undefined,
    );
    await t.rejects(filled.store.shard([FILES]), { code: 'COLLECTION_NOT_EMPTY' });
    for (const { server } of [again, filled]) t.same(named(server, 'shardCollection'), []);
  });

  await t.test('without a router there is nothing to shard', async (t) => {
    const { store } = await scene(t, MEMBER);
    await t.rejects(store.shard([FILES]), { code: 'NOT_SHARDED' });
  });
});
