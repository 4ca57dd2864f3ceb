import assert from 'node:assert/strict';
import fc from '@sentinel-node/test-kit/properties';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { openDataFolder, openEmbeddedDocumentStore } from '../src/embedded/index.ts';
import type { DataFolder, EmbeddedDocumentStore } from '../src/embedded/index.ts';
import { Sqlite } from '../src/embedded/sqlite.ts';
import { BatchedEntries } from '../src/embedded/store/batched-index.ts';
import { readLayouts } from '../src/embedded/store/schema.ts';
import type { CollectionSpec, Document } from '../src/ports/document-store.ts';

const LINKS: CollectionSpec<Document> = {
  name: 'links',
  immutable: true,
  indexes: [{ fields: ['file', 'number'], batched: true }],
};
const MIB = 1_048_576;
/** Of up to 60 steps, each of which writes to the disk or reads from it. */
const RUNS = 15;
const FILE_MS = 240_000;
const WAITING = 10;

t.setTimeout(FILE_MS);

interface UnderTest {
  readonly folder: DataFolder;
  open(): Promise<EmbeddedDocumentStore>;
  close(): Promise<void>;
}

function makeFolder(t: Test): UnderTest {
  const folder = openDataFolder(mkdtempSync(join(tmpdir(), 'sentinel-test-')));
  let store: EmbeddedDocumentStore | undefined;
  const close = async (): Promise<void> => {
    await store?.close();
    store = undefined;
  };
  t.teardown(async () => {
    await close();
    folder.release();
    rmSync(folder.path, { recursive: true });
  });
  const open = async () => {
    await close();
    store = await openEmbeddedDocumentStore({ folder, limits: { waitingEntries: WAITING } });
    await store.ensure([LINKS]);
    return store;
  };
  return { folder, open, close };
}

const idOf = (n: number): string => `l${String(n).padStart(6, '0')}`;
const linkOf = (n: number, files: number): Document => ({
  id: idOf(n),
  file: `f${n % files}`,
  number: Math.floor(n / files),
});

/** Returns the numbers of a file's links, newest first. */
async function numbersOf(store: EmbeddedDocumentStore, file: string): Promise<number[]> {
  const found = await store.find(LINKS.name, {
    where: { file },
    sort: { field: 'number', direction: 'desc' },
    limit: 10_000,
  });
  return found.map(({ number }) => Number(number));
}

/** Returns the numbers that a file has among the first `count` links, newest first. */
function wantedOf(file: number, files: number, count: number): number[] {
  return Array.from({ length: count }, (_, n) => n)
    .filter((n) => n % files === file)
    .map((n) => Math.floor(n / files))
    .reverse();
}

const countOf = (sqlite: Sqlite, table: string): number =>
  Number(sqlite.statement(`SELECT count(*) FROM ${table}`).first([])![0]);

const tablesOf = (folder: DataFolder): string[] => {
  const sqlite = new Sqlite(folder.file('documents.db'), { cacheBytes: MIB });
  const rows = sqlite.statement("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all([]);
  sqlite.close();
  return rows.map(([name]) => String(name));
};

/** Returns the numbers that a file has, read on the thread of searches. */
async function searchedOf(store: EmbeddedDocumentStore, file: string): Promise<number[]> {
  const found = await store.find(LINKS.name, {
    where: { file, id: { contains: 'L' } },
    sort: { field: 'number', direction: 'desc' },
    limit: 10_000,
  });
  return found.map(({ number }) => Number(number));
}

type Step =
  | { readonly write: number; readonly again: number }
  | { readonly read: number; readonly search: boolean }
  | { readonly open: true }
  | { readonly remake: true };

const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ write: fc.integer({ min: 1, max: 25 }), again: fc.nat({ max: 5 }) }),
    },
    { weight: 5, arbitrary: fc.record({ read: fc.nat({ max: 4 }), search: fc.boolean() }) },
    { weight: 1, arbitrary: fc.constant({ open: true } as const) },
    { weight: 1, arbitrary: fc.constant({ remake: true } as const) },
  ),
  { maxLength: 60 },
);

t.test(
  'given any writes, reads, starts and drops, each read finds exactly what was written',
  { timeout: FILE_MS },
  async (t) => {
    const { open } = makeFolder(t);
    let store = await open();
    let round = 0;
    const run = async (files: number, all: readonly Step[]): Promise<void> => {
      round += 1;
      // Files of each run and of each remaking differ, so that entries of an earlier table show.
      let era = 0;
      let count = 0;
      const nameOf = (n: number) => `${round}-${era}-${n}`;
      const link = (n: number): Document => ({ ...linkOf(n, files), file: nameOf(n % files) });
      const remake = async () => {
        await store.drop([LINKS.name]);
        await store.ensure([LINKS]);
        era += 1;
        count = 0;
      };
      const check = async (file: number, numbers: typeof numbersOf) => {
        const found = await numbers(store, nameOf(file));
        assert.deepEqual(found, wantedOf(file, files, count));
      };
      await remake();
      for (const one of all) {
        if ('open' in one) store = await open();
        else if ('remake' in one) await remake();
        else if ('read' in one) await check(one.read % files, one.search ? searchedOf : numbersOf);
        else {
          const from = Math.max(0, count - one.again);
          const links = Array.from({ length: count + one.write - from }, (_, at) => link(from + at));
          assert.equal((await store.insertMissing(LINKS.name, links)).length, one.write);
          count += one.write;
        }
      }
      for (let file = 0; file < files; file++) await check(file, numbersOf);
    };
    // fast-check shrinks a failure and says its seed.
    await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 5 }), steps, run), { numRuns: RUNS });
    t.equal(round, RUNS);
  },
);

t.test('given a batch that is half entered, a new table of the same name takes nothing of it', async (t) => {
  const { folder, open, close } = makeFolder(t);
  const store = await open();
  await store.insertMissing(
    LINKS.name,
    Array.from({ length: 12 }, (_, n) => ({ ...linkOf(n, 1), file: 'old' })),
  );
  await store.drop([LINKS.name]);
  await store.ensure([LINKS]);
  for (let n = 0; n < 6; n++) await store.insertMissing(LINKS.name, [linkOf(n, 1)]);
  t.same(await numbersOf(store, 'f0'), [5, 4, 3, 2, 1, 0]);
  t.same(await numbersOf(store, 'old'), []);
  await close();
  t.ok(tablesOf(folder).includes('c0_sorted'), 'the name came again');
});

t.test('given many writes, few entries wait', async (t) => {
  const { folder, open, close } = makeFolder(t);
  const store = await open();
  for (let from = 0; from < 500; from += 20)
    await store.insertMissing(
      LINKS.name,
      Array.from({ length: 20 }, (_, at) => linkOf(from + at, 3)),
    );
  await close();
  const sqlite = new Sqlite(folder.file('documents.db'), { cacheBytes: MIB });
  const [waiting, sorted] = [countOf(sqlite, 'c0_waiting'), countOf(sqlite, 'c0_sorted')];
  sqlite.close();
  // While a batch is entered, a part after each of five writes, the next ones arrive.
  t.ok(waiting <= WAITING + 6 * 20, `${waiting} wait`);
  t.ok(sorted >= 500 - waiting, `${sorted} are entered`);
});

t.test('given a call that loses a race, when it is rolled back, its entries are gone too', async (t) => {
  const { open } = makeFolder(t);
  const store = await open();
  await store.ensure([{ name: 'other', indexes: [{ fields: ['mail'], unique: true }] }]);
  await store.insertUnique('other', { id: 'a', mail: 'x' });
  const batches = [
    [{ collection: LINKS.name, mode: 'insertMissing' as const, documents: [linkOf(0, 1), linkOf(1, 1)] }],
    [{ collection: 'other', mode: 'insertMissing' as const, documents: [{ id: 'b', mail: 'x' }] }],
  ];
  await t.rejects(store.writeBatches(batches), { code: 'CONFLICT' });
  t.same(await numbersOf(store, 'f0'), []);
  await store.insertMissing(LINKS.name, [linkOf(5, 1)]);
  t.same(await numbersOf(store, 'f0'), [5]);
});

t.test('given a full disk, the entries wait and nothing is lost', async (t) => {
  const { folder, open, close } = makeFolder(t);
  const store = await open();
  const some = (from: number) => Array.from({ length: WAITING - 1 }, (_, at) => linkOf(from + at, 3));
  await store.insertMissing(LINKS.name, some(0));
  await close();

  const sqlite = new Sqlite(folder.file('documents.db'), { cacheBytes: MIB });
  t.teardown(() => sqlite.close());
  // Entries of 2,000 bytes, so that entering them needs pages.
  sqlite.exec("UPDATE c0_waiting SET g1 = g1 || replace(hex(zeroblob(1000)), '00', 'ab')");
  sqlite.limitBytes(1);
  const entries = new BatchedEntries(sqlite, WAITING - 1);
  const layouts = readLayouts(sqlite);
  for (let times = 0; times < 3; times++) entries.enterSome(layouts);
  t.equal(countOf(sqlite, 'c0_waiting'), WAITING - 1, 'all wait');
  t.ok(countOf(sqlite, 'c0_sorted') < WAITING - 1, 'not all are entered');
  sqlite.limitBytes(64 * MIB);
  for (let times = 0; times < 5; times++) entries.enterSome(layouts);
  t.equal(countOf(sqlite, 'c0_waiting'), 0);
  t.equal(countOf(sqlite, 'c0_sorted'), WAITING - 1);
});

t.test('given an error that is no full disk, it is told', async (t) => {
  const { folder, open, close } = makeFolder(t);
  const store = await open();
  await store.insertMissing(LINKS.name, [linkOf(0, 1)]);
  await close();
  const sqlite = new Sqlite(folder.file('documents.db'), { cacheBytes: MIB });
  t.teardown(() => sqlite.close());
  const layouts = readLayouts(sqlite);
  sqlite.exec('DROP TABLE c0_sorted');
  t.throws(() => new BatchedEntries(sqlite, 1).enterSome(layouts), /c0_sorted/);
});

t.test('given a document that changes or has no key, it is refused', async (t) => {
  const { open } = makeFolder(t);
  const store = await open();
  const { name } = LINKS;
  const link = { ...linkOf(0, 1), rev: 1 };
  const batch = [{ collection: name, mode: 'upsert' as const, documents: [link] }];
  await t.rejects(store.bulkUpsert(name, [link]), TypeError);
  await t.rejects(store.writeBatches([batch]), TypeError);
  await t.rejects(store.insertUnique(name, link), TypeError);
  await t.rejects(store.update(name, link, 0), TypeError);
  await t.rejects(store.remove(name, ['l']), TypeError);
  await t.rejects(store.insertMissing(name, [{ id: 'l', file: 'f' }]), /no number/);
  t.equal(await store.count(name), 0);
  const unique = { fields: ['file', 'number'], batched: true, unique: true };
  for (const index of [unique, { fields: ['file'], batched: true }])
    await t.rejects(store.ensure([{ name: 'others', indexes: [index] }]), /two fields/);
});

t.test(
  'given a folder that a version without batched indexes has used, every document is found',
  async (t) => {
    const { folder, open, close } = makeFolder(t);
    const store = await open();
    const links = Array.from({ length: 35 }, (_, n) => linkOf(n, 3));
    await store.insertMissing(LINKS.name, links);
    await close();
    t.same(
      tablesOf(folder).filter((name) => name.startsWith('c0')),
      ['c0', 'c0_sorted', 'c0_waiting'],
    );
    usedByOlderVersion(folder, linkOf(35, 3));
    const again = await open();
    t.same(await numbersOf(again, 'f2'), wantedOf(2, 3, 36));
    await again.insertMissing(LINKS.name, [linkOf(36, 3), linkOf(37, 3)]);
    t.same(await numbersOf(again, 'f0'), wantedOf(0, 3, 38));
    await close();
    t.same(
      tablesOf(folder).filter((name) => name.startsWith('c0')),
      ['c0'],
      'the tables of the batched index are gone',
    );
  },
);

/** Does what a version without batched indexes does at its start, and inserts a document. */
function usedByOlderVersion(folder: DataFolder, { id, file, number }: Document): void {
  const sqlite = new Sqlite(folder.file('documents.db'), { cacheBytes: MIB });
  const columns = [
    { field: 'file', column: 'f0', narrow: true },
    { field: 'number', column: 'f1', narrow: false },
  ];
  sqlite.exec('ALTER TABLE c0 ADD COLUMN f0; ALTER TABLE c0 ADD COLUMN f1');
  sqlite.exec("UPDATE c0 SET f0 = json_extract(body, '$.file'), f1 = json_extract(body, '$.number')");
  sqlite.exec('CREATE INDEX c0_0 ON c0 (f0, f1)');
  sqlite
    .statement('UPDATE collections SET columns = ?, indexes = ?')
    .run([JSON.stringify(columns), JSON.stringify([{ fields: ['file', 'number'] }])]);
  sqlite
    .statement('INSERT INTO c0 (id, body, f0, f1) VALUES (?, ?, ?, ?)')
    .run([id, JSON.stringify({ id, file, number }), String(file), BigInt(Number(number))]);
  sqlite.close();
}

t.test('given replacements and drops, no table is left behind', async (t) => {
  const { folder, open, close } = makeFolder(t);
  const store = await open();
  await store.insertMissing(
    LINKS.name,
    Array.from({ length: 25 }, (_, n) => linkOf(n, 2)),
  );
  t.equal((await numbersOf(store, 'f0')).length, 13);
  for (let round = 0; round < 3; round++) {
    const replacement = await store.makeReplacement(LINKS);
    await store.insertMissing(
      replacement,
      Array.from({ length: 15 + round }, (_, n) => linkOf(n, 2)),
    );
    await store.replace(LINKS.name, replacement);
    t.same(await numbersOf(store, 'f0'), wantedOf(0, 2, 15 + round));
  }
  await store.drop([LINKS.name]);
  await close();
  t.same(
    tablesOf(folder).filter((name) => /^c\d/.test(name)),
    [],
  );
});
