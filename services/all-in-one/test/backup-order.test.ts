/** Tests the order in which a backup reads data that other processes write meanwhile. */
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { OWN_COLLECTIONS } from '@sentinel-node/anchoring';
import { TOPICS } from '@sentinel-node/contracts';
import {
  confirmStores,
  createLog,
  EMBEDDED_TOPICS,
  logKeyOf,
  openDataFolder,
  openEmbeddedDocumentStore,
  openEmbeddedEventLog,
  STREAMS_COLLECTION,
  type DocumentStore,
  type EventLog,
  type RecordBatch,
} from '@sentinel-node/platform';
import { DEV_LEDGER_COLLECTIONS } from '@sentinel-node/platform/ledger';
import { RESERVATIONS_COLLECTION } from '@sentinel-node/query';
import { backUp } from '../src/backup/backup.ts';
import { readLogEnds } from '../src/backup/dump-log.ts';
import { emptyFolder, writeManifest } from '../src/backup/manifest.ts';
import { delegateTo } from '../src/delegate.ts';
import { ReadCounter } from '../src/operator/read-counter.ts';
import type { Operation } from '../src/operator/run.ts';
import { runChild } from './support/child.ts';
import { temporaryFolder } from './support/folder.ts';
import { SENTINEL } from './support/node.ts';
import { SECRET } from './support/secret.ts';

/** Opens empty stores for a backup. */
async function openStores(t: Test) {
  const folder = openDataFolder(temporaryFolder(t));
  const store = await openEmbeddedDocumentStore({ folder });
  const eventLog = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS });
  t.teardown(async () => {
    await eventLog.close();
    await store.close();
    folder.release();
  });
  await store.ensure(Object.values(DEV_LEDGER_COLLECTIONS));
  return { store, eventLog };
}

/** Backs up while services run. Returns the manifest, and a function that reads a file of the backup. */
async function backUpLive(t: Test, store: DocumentStore, eventLog: EventLog) {
  const counter = new ReadCounter(eventLog, () => undefined);
  t.teardown(() => counter.close());
  const target = join(temporaryFolder(t), 'backup');
  const { manifest } = await backUp(
    {
      store,
      eventLog: counter.eventLog,
      counter,
      logKey: logKeyOf(SECRET),
      log: createLog({ level: 'silent', service: 'test' }),
      isLive: true,
      writeLine: () => undefined,
    } as unknown as Operation,
    { folder: target, withLog: true },
  );
  return { manifest, read: (file: string) => gunzipSync(readFileSync(join(target, file))).toString() };
}

t.test('no transaction of a batch that the backup does not have is on its ledger', async (t) => {
  const { store, eventLog } = await openStores(t);
  const ledger = Object.values(DEV_LEDGER_COLLECTIONS);
  const anchor = async (id: string) => {
    const names: readonly string[] = ledger.map(({ name }) => name);
    for (const name of names) await store.insertUnique(name, { id, rev: 1, rawTx: '00', order: 1 });
  };
  await anchor('before');
  // What organisations are told of anchoring: told and marked as told after the end of its topic was read.
  const { operations } = OWN_COLLECTIONS;
  await store.ensure([operations]);
  const record = {
    v: 1,
    kind: 'anchoring',
    state: 'right',
    why: '',
    batch: null,
    rev: 2,
    at: Date.now(),
  } as const;
  await store.insertUnique(operations.name, { id: 'anchoring', rev: 4, at: Date.now(), record });
  // Anchoring continues: it cuts and sends a batch as soon as the end of the anchors topic has been read.
  let hasGoneOn = false;
  const goingOn = {
    ...delegateTo(eventLog),
    bounds: async (topic: string) => {
      const bounds = await eventLog.bounds(topic);
      if (topic === TOPICS.anchors && !hasGoneOn) {
        hasGoneOn = true;
        await anchor('of a later batch');
      }
      return bounds;
    },
  };
  const { manifest, read } = await backUpLive(t, store, goingOn);
  t.ok(hasGoneOn);
  const told = read('documents/anchoring_operations.ndjson.gz');
  t.match(told, '"unpublished":1', 'the log of the backup may lack it, so that it is told again');
  for (const { name } of ledger) {
    const text = read(manifest.collections.find((one) => one.name === name)!.file);
    t.match(text, '"before"', name);
    t.notMatch(text, 'of a later batch', name);
  }
});

t.test('who gives an address up meanwhile has it in the backup, as by the streams of then', async (t) => {
  const { store, eventLog } = await openStores(t);
  await store.ensure([RESERVATIONS_COLLECTION, STREAMS_COLLECTION]);
  const reservation = { id: 'email:bob', rev: 1, orgId: 'org', userId: 'bob', at: 1, released: false };
  await store.insertUnique(RESERVATIONS_COLLECTION.name, reservation);
  let isReleased = false;
  async function* scan(name: string) {
    yield* store.scan(name);
    if (name !== STREAMS_COLLECTION.name || isReleased) return;
    isReleased = true;
    await store.update(RESERVATIONS_COLLECTION.name, { ...reservation, rev: 2, released: true }, 1);
  }
  const going: DocumentStore = new Proxy(store, {
    get(target, name) {
      if (name === 'scan') return scan;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const { read } = await backUpLive(t, going, eventLog);
  t.ok(isReleased);
  const { userId, released } = JSON.parse(read('documents/reservations.ndjson.gz'));
  t.same({ userId, released }, { userId: 'bob', released: false });
});

t.test('a heartbeat that a newer one replaces meanwhile is not missing', async (t) => {
  const { store, eventLog } = await openStores(t);
  const beat = (id: string) =>
    eventLog.append(TOPICS.deviceHealth, [{ key: 'device', id, body: Buffer.from('{}') }]);
  const [first] = await beat('first');
  // As on Kafka, whose cleaner removes the first one before it is read.
  let isCleaned = false;
  async function* read(...[topic, ...range]: Parameters<EventLog['read']>): AsyncIterable<RecordBatch> {
    if (topic === TOPICS.deviceHealth && !isCleaned) {
      isCleaned = true;
      await beat('newest');
    }
    for await (const batch of eventLog.read(topic, ...range)) {
      const records = batch.records.filter(({ id }) => id !== 'first');
      if (records.length > 0) yield { ...batch, records };
    }
  }
  const { manifest, read: readFile } = await backUpLive(t, store, { ...delegateTo(eventLog), read });
  const file = manifest.partitions.find(
    ({ topic, partition }) => topic === TOPICS.deviceHealth && partition === first!.partition,
  );
  t.match(readFile(file!.file), '"newest"');
});

t.test('a topic kept for ever that lost its first records, or all of them, is not backed up', async (t) => {
  const folder = openDataFolder(temporaryFolder(t));
  const eventLog = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS });
  t.teardown(async () => {
    await eventLog.close();
    folder.release();
  });
  const lost = (topic: string, bounds: { start: number; end: number }) =>
    readLogEnds({
      ...delegateTo(eventLog),
      bounds: async (name) => (name === topic ? [{ partition: 0, ...bounds }] : eventLog.bounds(name)),
    });
  for (const end of [5, 9])
    await t.rejects(lost(TOPICS.registry, { start: 5, end }), {
      code: 'BACKUP',
      message: `${TOPICS.registry} partition 0 begins at offset 5: records that must be kept for ever are gone`,
    });
  await lost(TOPICS.registry, { start: 0, end: 9 });
  await lost(TOPICS.deviceHealth, { start: 5, end: 9 });
});

t.test('a backup that fails leaves nothing behind', async (t) => {
  const dataDir = temporaryFolder(t);
  const folder = openDataFolder(dataDir);
  const store = await openEmbeddedDocumentStore({ folder });
  const eventLog = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS });
  await confirmStores(store, eventLog, logKeyOf(SECRET));
  // Read after the log was written.
  await eventLog.append(TOPICS.anchors, [{ key: 'a', id: 'a', body: Buffer.from('no anchor') }]);
  await eventLog.close();
  await store.close();
  folder.release();
  const backUpTo = (target: string) =>
    runChild(t, [SENTINEL, 'backup', target, '--data', dataDir], { SENTINEL_SECRET: SECRET });
  const [missing, there, full] = ['missing', 'there', 'full'].map((name) => join(temporaryFolder(t), name));
  mkdirSync(there!, { recursive: true });
  mkdirSync(join(full!, 'own'), { recursive: true });
  for (const target of [missing!, there!, full!]) t.not((await backUpTo(target)).code, 0);
  t.notOk(existsSync(missing!), 'the folder that it made');
  t.strictSame(readdirSync(there!), [], 'what it wrote');
  t.strictSame(readdirSync(full!), ['own'], 'what is not its own stays');
});

t.test('the folders of a backup are on the disk, and the manifest last', async (t) => {
  const root = temporaryFolder(t);
  mkdirSync(root, { recursive: true });
  const handle = await open(root, 'r');
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const { sync } = prototype;
  const flushed: string[] = [];
  t.capture(prototype, 'sync', async function (this: FileHandle) {
    flushed.push(relative(root, readlinkSync(`/proc/self/fd/${this.fd}`)));
    return sync.call(this);
  });
  const target = join(root, 'of', 'today');
  await emptyFolder(target);
  t.strictSame(new Set(flushed), new Set(['', 'of']), 'the names of the folders made');
  const facts = { lines: 1, bytes: 1, sha256: '00'.repeat(32) };
  const partition = { topic: TOPICS.chain, partition: 0, file: `log/${TOPICS.chain}/0.ndjson.gz`, ...facts };
  const collection = { name: 'streams', file: 'documents/streams.ndjson.gz', ...facts };
  for (const { file } of [partition, collection]) mkdirSync(dirname(join(target, file)), { recursive: true });
  flushed.length = 0;
  const manifest = {
    ...{ madeAt: '', logId: facts.sha256, ends: [], collections: [collection], partitions: [partition] },
  };
  await writeManifest(target, manifest, logKeyOf(SECRET));
  const within = ['manifest.sig', 'manifest.json.part', 'documents', 'log', join('log', TOPICS.chain)];
  t.strictSame([...flushed].slice(0, -2).sort(), within.map((name) => join('of', 'today', name)).sort());
  t.strictSame(
    flushed.slice(-2),
    [join('of', 'today'), join('of', 'today')],
    'before and after the manifest',
  );
});
