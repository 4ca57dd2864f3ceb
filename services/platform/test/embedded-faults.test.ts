import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { partitionOf } from '@sentinel-node/contracts';
import t from 'tap';
import type { Test } from 'tap';
import { openDataFolder, openEmbeddedDocumentStore, openEmbeddedEventLog } from '../src/embedded/index.ts';
import type { DataFolder, EmbeddedEventLogOptions } from '../src/embedded/index.ts';
import { LOG_FILE } from '../src/embedded/log/embedded-event-log.ts';
import { Sqlite } from '../src/embedded/sqlite.ts';
import { WorkerChannel } from '../src/embedded/worker-channel.ts';
import { NotDurableError, OverloadedError } from '../src/ports/errors.ts';
import type { EventLog, StoredRecord } from '../src/ports/event-log.ts';

const MIB = 1_048_576;
const FOREVER = { name: 'forever', partitions: 2, retention: 'forever' } as const;
const VOLATILE = { name: 'volatile', partitions: 1, retention: 'volatile' } as const;
const COMPACTED = { name: 'compacted', partitions: 1, retention: 'compacted' } as const;

function onFatal(error: Error): void {
  throw error;
}

function folderOf(t: Test): DataFolder {
  const folder = openDataFolder(mkdtempSync(join(tmpdir(), 'sentinel-test-')));
  t.teardown(() => {
    folder.release();
    rmSync(folder.path, { recursive: true });
  });
  return folder;
}

function openLog(folder: DataFolder, options: Partial<EmbeddedEventLogOptions> = {}) {
  return openEmbeddedEventLog({ folder, topics: [FOREVER, VOLATILE, COMPACTED], onFatal, ...options });
}

const record = (key: string, id: string, bytes = 10) => ({ key, id, body: new Uint8Array(bytes) });

async function all(log: EventLog, topic: string, partition: number): Promise<StoredRecord[]> {
  const found: StoredRecord[] = [];
  for await (const batch of log.read(topic, partition, 0)) found.push(...batch.records);
  return found;
}

t.test('a data folder is made, and held by one', async (t) => {
  const parent = mkdtempSync(join(tmpdir(), 'sentinel-test-'));
  t.teardown(() => rmSync(parent, { recursive: true }));
  const path = join(parent, 'a', 'b');
  const folder = openDataFolder(path);
  t.ok(existsSync(path));
  t.throws(() => openDataFolder(path), { code: 'DATA_FOLDER_IN_USE' });
  folder.release();
  openDataFolder(path).release();
});

t.test('a data folder that cannot be used is named in one line', async (t) => {
  for (const path of ['/proc/nowhere/data', '/dev/null/data', '/dev/null'])
    t.throws(() => openDataFolder(path), {
      code: 'DATA_FOLDER_UNUSABLE',
      message: /^cannot use the data folder \S+: [^\n]+$/,
    });
});

t.test('more unflushed bytes than allowed are refused, and nothing of them is written', async (t) => {
  const log = await openLog(folderOf(t), { limits: { unflushedBytes: 2 * MIB } });
  const waiting = Array.from({ length: 10 }, (_, n) =>
    log.append(FOREVER.name, [record('k', `r${n}`, MIB / 4)]),
  );
  const settled = await Promise.allSettled(waiting);
  const refused = settled.filter((result) => result.status === 'rejected');
  t.ok(refused.length >= 2 && refused.every(({ reason }) => reason instanceof OverloadedError));
  const kept = [...(await all(log, FOREVER.name, 0)), ...(await all(log, FOREVER.name, 1))];
  t.equal(kept.length, settled.length - refused.length);
  t.equal(log.unflushedBytes(), 0);
  await log.append(FOREVER.name, [record('k', 'after', MIB)]);
  await log.close();
});

t.test('a full log refuses as not durable, keeps what it has, and works again with room', async (t) => {
  const folder = folderOf(t);
  const log = await openLog(folder, { maxBytes: 2 * MIB });
  let accepted = 0;
  const fill = async (): Promise<void> => {
    for (;;) {
      await log.append(FOREVER.name, [record(`k${accepted}`, `r${accepted}`, 100_000)]);
      accepted++;
    }
  };
  t.equal(log.isFull(), false);
  await t.rejects(fill(), NotDurableError);
  t.ok(accepted > 5);
  t.equal(log.isFull(), true);
  await t.rejects(log.append(FOREVER.name, [record('k', 'again', 100_000)]), NotDurableError);
  await log.limitBytes(8 * MIB);
  await log.append(FOREVER.name, [record('k', 'room', 100_000)]);
  t.equal(log.isFull(), false);
  await log.close();
  const again = await openLog(folder);
  const kept = [...(await all(again, FOREVER.name, 0)), ...(await all(again, FOREVER.name, 1))];
  t.same(
    kept.map(({ id }) => id).sort(),
    [...Array.from({ length: accepted }, (_, n) => `r${n}`), 'room'].sort(),
  );
  await again.close();
});

t.test('a full store refuses as not durable and works again with room', async (t) => {
  const store = await openEmbeddedDocumentStore({ folder: folderOf(t), maxBytes: MIB, onFatal });
  await store.ensure([{ name: 'c', indexes: [] }]);
  const text = 'x'.repeat(50_000);
  let accepted = 0;
  const fill = async (): Promise<void> => {
    for (;;) {
      await store.insertUnique('c', { id: `d${accepted}`, text });
      accepted++;
    }
  };
  t.equal(store.isFull(), false);
  await t.rejects(fill(), {
    code: 'NOT_DURABLE',
    message:
      /documents\.db cannot grow \(database or disk is full\): make room on its disk, or raise SENTINEL_LOG_MAX_MIB/,
  });
  t.equal(await store.count('c'), accepted);
  t.equal(store.isFull(), true);
  await store.limitBytes(4 * MIB);
  await store.insertUnique('c', { id: 'room', text });
  t.equal(store.isFull(), false);
  t.equal(await store.count('c'), accepted + 1);
  await store.close();
});

t.test(
  'a file whose disk has no room for the copy of the write-ahead log is closed, with all that was committed',
  async (t) => {
    const file = folderOf(t).file('some.db');
    const sqlite = new Sqlite(file, { cacheBytes: MIB });
    sqlite.exec('CREATE TABLE one (n INTEGER); INSERT INTO one VALUES (7)');
    sqlite.pragma = () => {
      throw Object.assign(new Error('database or disk is full'), { rawCode: 13 });
    };
    sqlite.end();
    t.throws(() => sqlite.exec('SELECT 1'), /not open/);
    const again = new Sqlite(file, { cacheBytes: MIB });
    t.same(again.statement('SELECT n FROM one').all([]), [[7]]);
    again.end();

    const other = new Sqlite(file, { cacheBytes: MIB });
    other.pragma = () => {
      throw Object.assign(new Error('disk I/O error'), { rawCode: 10 });
    };
    t.throws(() => other.end(), /I\/O/, 'another error is told');
    t.throws(() => other.exec('SELECT 1'), /not open/, 'and the file is closed');
  },
);

t.test('more pending calls than allowed are refused', async (t) => {
  const store = await openEmbeddedDocumentStore({
    folder: folderOf(t),
    limits: { pendingCalls: 5 },
    onFatal,
  });
  await store.ensure([{ name: 'c', indexes: [] }]);
  const calls = Array.from({ length: 8 }, (_, n) => store.insertUnique('c', { id: `d${n}` }));
  const settled = await Promise.allSettled(calls);
  const refused = settled.filter((result) => result.status === 'rejected');
  t.equal(refused.length, 3);
  t.ok(refused.every(({ reason }) => reason instanceof OverloadedError));
  t.equal(await store.count('c'), 5);
  await store.close();
});

t.test('a caller fault is refused and harms nobody else', async (t) => {
  const store = await openEmbeddedDocumentStore({ folder: folderOf(t), onFatal });
  await store.ensure([{ name: 'c', indexes: [{ fields: ['v'] }] }]);
  await t.rejects(store.insertUnique('c', { id: 'a', v: [1] }), TypeError);
  await t.rejects(store.insertUnique('c', { id: 'a', rev: 1.5 }), TypeError);
  await t.rejects(store.get('unknown', 'a'), /unknown collection/);
  await t.rejects(store.update('c', { id: 'a', rev: 2 }, 1.5), TypeError);
  await store.insertUnique('c', { id: 'a', v: 1 });
  t.equal(await store.count('c', { v: 1 }), 1);
  await store.close();
  await t.rejects(store.get('c', 'a'), /closed/);
});

t.test('a volatile topic keeps a bounded window', async (t) => {
  const log = await openLog(folderOf(t), { limits: { volatileRecords: 100 } });
  for (let n = 0; n < 250; n++) await log.append(VOLATILE.name, [record('k', `r${n}`)]);
  t.same(await log.bounds(VOLATILE.name), [{ partition: 0, start: 150, end: 250 }]);
  const kept = await all(log, VOLATILE.name, 0);
  t.same([kept.length, kept[0]?.id], [100, 'r150']);
  const seen: string[] = [];
  const tail = await log.tail(
    VOLATILE.name,
    new Map([[0, 3]]),
    (batch) => void seen.push(...batch.records.map(({ id }) => id)),
  );
  await log.append(VOLATILE.name, [record('k', 'last')]);
  while (!seen.includes('last')) await new Promise((resolve) => setImmediate(resolve));
  t.same(seen.slice(0, 1), ['r150'], 'a lost window begins at its first kept record');
  await tail.stop();
  await log.close();
});

t.test('compaction leaves one record a key, under its own offset', async (t) => {
  const folder = folderOf(t);
  const log = await openLog(folder);
  for (let n = 0; n < 60; n++)
    await log.append(COMPACTED.name, [record(`k${n % 4}`, `r${n}`), record('k9', `s${n}`)]);
  await log.close();
  const again = await openLog(folder);
  // This append follows the compaction in the thread's queue.
  await again.append(FOREVER.name, [record('k', 'x')]);
  const kept = await all(again, COMPACTED.name, 0);
  t.same(
    kept.map(({ id, offset }) => [id, offset]),
    [
      ['r56', 112],
      ['r57', 114],
      ['r58', 116],
      ['r59', 118],
      ['s59', 119],
    ],
  );
  t.equal((await again.append(COMPACTED.name, [record('k0', 'next')]))[0]!.offset, 120);
  await again.close();
});

t.test('with next to no memory the file serves the same records', async (t) => {
  const limits = { tailCacheBytes: 1, tailCacheRecords: 1 };
  const log = await openLog(folderOf(t), { limits });
  const seen: string[] = [];
  const subscription = await log.consume([FOREVER.name], 'g', (batch) => {
    seen.push(...batch.records.map(({ id }) => id));
    return Promise.resolve();
  });
  const sent = Array.from({ length: 500 }, (_, n) => record(`k${n % 20}`, `r${n}`, 5_000));
  for (let from = 0; from < sent.length; from += 50)
    await log.append(FOREVER.name, sent.slice(from, from + 50));
  while (seen.length < sent.length) await new Promise((resolve) => setImmediate(resolve));
  await subscription.stop();
  t.same([...seen].sort(), sent.map(({ id }) => id).sort());
  await log.close();
});

t.test('the write-ahead log stays bounded while queries fail, search and explain', async (t) => {
  const folder = folderOf(t);
  const limits = { writeAheadBytes: 4 * MIB };
  const store = await openEmbeddedDocumentStore({ folder, limits, onFatal });
  await store.ensure([{ name: 'c', indexes: [{ fields: ['org', 'id'] }] }]);
  const text = 'x'.repeat(100_000);
  for (let n = 0; n < 400; n++) {
    const where = { org: 'o', text: { contains: 'X' } };
    await store.bulkUpsert('c', [{ id: `d${n % 7}`, rev: n, org: 'o', text }]);
    await store.insertUnique('c', { id: `d${n % 7}` }).catch(() => undefined);
    await store.find('c', { where, limit: 1 });
    await store.explain('c', { where, limit: 1 });
  }
  t.ok(statSync(folder.file('documents.db-wal')).size < 8 * MIB);
  await store.close();
});

t.test('a thread that dies is fatal, once', async (t) => {
  const fatal: Error[] = [];
  const missing = new URL('./no-such-module.js', import.meta.url);
  const channel = new WorkerChannel<string, string>(missing, {}, (error) => fatal.push(error));
  await t.rejects(channel.call('anything'));
  await t.rejects(channel.call('after'));
  t.equal(fatal.length, 1);
});

t.test('a thread that is never asked is never started', async (t) => {
  const fatal: Error[] = [];
  const missing = new URL('./no-such-module.js', import.meta.url);
  const channel = new WorkerChannel<string, string>(missing, {}, (error) => fatal.push(error));
  await channel.end('end');
  await t.rejects(channel.call('anything'), { name: 'WorkerFailure' });
  t.same(fatal, []);
});

const DAMAGES: Readonly<Record<string, { sql: string; message: RegExp }>> = {
  'of an unknown version': {
    sql: "UPDATE batches SET frame = CAST(x'03' || substr(frame, 2) AS BLOB)",
    message: /unknown format 3/,
  },
  'that is gone': { sql: 'DELETE FROM batches', message: /up to offset/ },
};

/** Changes of the second of three rows of a partition, a record each. */
const ROW_CHANGES: readonly (readonly [sql: string, says: RegExp])[] = [
  ["UPDATE batches SET frame = 'text'", /a row of the log holds no bytes/],
  ['UPDATE batches SET frame = CAST(frame AS TEXT)', /a row of the log holds no bytes/],
  ['UPDATE batches SET frame = 7', /a row of the log holds no bytes/],
  ["UPDATE batches SET frame = x'0200000000000000'", /other offsets than its place says/],
  ['UPDATE batches SET next = 1.5', /other offsets than its place says/],
  ['UPDATE batches SET next = 3', /other offsets than its place says/],
  ['UPDATE batches SET next = 1', /other offsets than its place says/],
  ["UPDATE batches SET next = 'x'", /is missing, or stands twice/],
  ['DELETE FROM batches', /is missing, or stands twice/],
  ['UPDATE batches SET k = k + 7, next = next + 7', /is missing, or stands twice/],
];

const rowOf = (part: number, topic: string, offset: number): string =>
  `WHERE k = ((SELECT slot FROM slots WHERE topic = '${topic}' AND part = ${part}) << 44) + ${offset}`;

function change(folder: DataFolder, ...statements: readonly string[]): void {
  const sqlite = new Sqlite(folder.file(LOG_FILE), { cacheBytes: MIB });
  for (const sql of statements) t.equal(sqlite.statement(sql).run([]), 1, sql);
  sqlite.close();
}

t.test('a row that somebody changed, took away or moved is named by its place when it is read', async (t) => {
  const folder = folderOf(t);
  const topics = [{ name: 'rows', partitions: ROW_CHANGES.length, retention: 'forever' }] as const;
  const keys = ROW_CHANGES.map((_, partition) => {
    let n = 0;
    while (partitionOf(`k${n}`, ROW_CHANGES.length) !== partition) n += 1;
    return `k${n}`;
  });
  const written = await openLog(folder, { topics });
  for (const id of ['r0', 'r1', 'r2'])
    await written.append(
      'rows',
      keys.map((key) => record(key, id)),
    );
  await written.close();
  change(folder, ...ROW_CHANGES.map(([sql], partition) => `${sql} ${rowOf(partition, 'rows', 1)}`));
  const log = await openLog(folder, { topics });
  for (const [partition, [sql, says]] of ROW_CHANGES.entries()) {
    const read = await all(log, 'rows', partition).catch((error: unknown) => error);
    t.match(read, { code: 'ROW_UNREADABLE', message: says }, sql);
    t.match(read, { message: `rows partition ${partition}, from offset 1 on: ` }, sql);
  }
  await log.close();
});

t.test(
  'a log is not opened over a last row that ends elsewhere than its records, or that is none',
  async (t) => {
    for (const [topic, set] of [
      [FOREVER.name, 'next = next + 1'],
      [FOREVER.name, 'next = -1'],
      [FOREVER.name, "next = 'x'"],
      [FOREVER.name, "frame = 'text'"],
      [COMPACTED.name, 'next = next + 1'],
    ] as const) {
      const folder = folderOf(t);
      const written = await openLog(folder);
      const [place] = await written.append(topic, [record('k', 'r1')]);
      await written.close();
      change(folder, `UPDATE batches SET ${set} ${rowOf(place!.partition, topic, 0)}`);
      const message = new RegExp(
        `^the log cannot be read: ${topic} partition ${place!.partition}, from offset 0 on: .* backup`,
      );
      await t.rejects(openLog(folder), { code: 'ROW_UNREADABLE', message }, set);
    }
  },
);

t.test('a log is not opened without a place of a partition, or with a position that is none', async (t) => {
  const folder = folderOf(t);
  const written = await openLog(folder);
  const [place] = await written.append(FOREVER.name, [record('k', 'r1')]);
  await written.close();
  const position = (next: string) =>
    `INSERT OR REPLACE INTO offsets SELECT 'group', slot, ${next} FROM slots WHERE topic = '${FOREVER.name}' AND part = 0`;
  for (const next of ["'x'", '1.5', '-1']) {
    change(folder, position(next));
    await t.rejects(
      openLog(folder),
      {
        code: 'ROW_UNREADABLE',
        message: /: the position of the group group: \S+ is no offset; restore a backup/,
      },
      next,
    );
  }
  change(
    folder,
    position('0'),
    `DELETE FROM slots WHERE topic = '${FOREVER.name}' AND part = ${place!.partition}`,
  );
  const message = `${FOREVER.name} partition ${place!.partition}, from offset 0 on: the file names no place of its rows`;
  await t.rejects(openLog(folder), { code: 'ROW_UNREADABLE', message });
});

t.test('a row that compaction cannot read ends the process with its place', async (t) => {
  const folder = folderOf(t);
  const written = await openLog(folder);
  for (const id of ['r0', 'r1']) await written.append(COMPACTED.name, [record('k', id)]);
  await written.close();
  change(folder, `UPDATE batches SET frame = 'text' ${rowOf(0, COMPACTED.name, 0)}`);
  let log: EventLog | undefined;
  const fatal = await new Promise<Error>((resolve, reject) => {
    openLog(folder, { onFatal: resolve }).then((opened) => (log = opened), reject);
  });
  t.match(fatal, {
    name: 'WorkerFailure',
    message: /compacted partition 0, from offset 0 on: a row of the log holds no bytes; restore a backup/,
  });
  await log?.close();
});

for (const [name, { sql, message }] of Object.entries(DAMAGES))
  t.test(`a consumer fails at a row ${name}, and so do the others of its group`, async (t) => {
    const folder = folderOf(t);
    const written = await openLog(folder);
    await written.append(FOREVER.name, [record('k', 'r1'), record('k', 'r2')]);
    await written.close();
    const log = await openLog(folder);
    const sqlite = new Sqlite(folder.file(LOG_FILE), { cacheBytes: MIB });
    sqlite.statement(sql).run([]);
    sqlite.close();
    let handled = 0;
    const handler = async (): Promise<void> => void handled++;
    const consumers = await Promise.all(
      Array.from({ length: 2 }, () => log.consume([FOREVER.name], 'group', handler)),
    );
    for (const { failed } of consumers) await t.rejects(failed, { message });
    t.equal(handled, 0);
    await log.close();
  });

t.test('a query of more values than SQLite takes fails alone', async (t) => {
  const fatal: Error[] = [];
  const store = await openEmbeddedDocumentStore({
    folder: folderOf(t),
    onFatal: (error) => void fatal.push(error),
  });
  t.teardown(() => store.close());
  await store.ensure([{ name: 'things', indexes: [{ fields: ['key'] }] }]);
  await store.insertMissing('things', [{ id: '1', key: 'k0' }]);
  const keys = Array.from({ length: 16_385 }, (_, n) => `k${n}`);
  const [many, beside] = await Promise.allSettled([
    store.find('things', { where: { key: { in: keys } }, limit: 1 }),
    store.get('things', '1'),
  ]);
  t.match(many, { status: 'rejected', reason: { message: /too many SQL variables/ } });
  t.match(beside, { status: 'fulfilled', value: { id: '1' } });
  const few = { where: { key: { in: keys.slice(0, 100) } }, limit: 1 };
  t.strictSame(await store.find('things', few), [{ id: '1', key: 'k0' }]);
  t.strictSame(fatal, []);
});
