/** Tests that a store names every index and column that says otherwise than its documents. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import t, { type Test } from 'tap';
import { openDataFolder, openEmbeddedDocumentStore } from '../src/embedded/index.ts';
import type { EmbeddedDocumentStore } from '../src/embedded/index.ts';
import type { CollectionSpec, Document } from '../src/ports/document-store.ts';

const FILE = '01932b5e-7c00-7a11-8b22-000000000003';
const ALERTS: CollectionSpec<Document> = {
  name: 'alerts',
  indexes: [{ fields: ['orgId', 'id'] }, { fields: ['open', 'at'], sparse: true }],
};
const LINKS: CollectionSpec<Document> = {
  name: 'links',
  immutable: true,
  indexes: [{ fields: ['fileId', 'number'], batched: true }],
};
const WAITING = 4;
/** More than a page. */
const MANY = 1_100;

async function scene(t: Test) {
  const folder = openDataFolder(mkdtempSync(join(tmpdir(), 'sentinel-test-')));
  const open = () => openEmbeddedDocumentStore({ folder, limits: { waitingEntries: WAITING } });
  let store: EmbeddedDocumentStore | undefined = await open();
  t.teardown(async () => {
    await store?.close();
    folder.release();
    rmSync(folder.path, { recursive: true });
  });
  await store.ensure([ALERTS, LINKS]);
  await store.bulkUpsert('alerts', [
    { id: 'a1', rev: 3, orgId: FILE, open: true, at: 1.5 },
    { id: 'a2', rev: 1, orgId: 'o', at: 'later' },
    { id: 'a3', rev: 1, orgId: null, open: false, at: 2 ** 53 - 1 },
  ]);
  const documents = Array.from({ length: MANY }, (_, at) => ({ id: `c${at}`, orgId: `o${at % 7}` }));
  await store.ensure([{ name: 'many', indexes: [{ fields: ['orgId', 'id'] }] }]);
  await store.insertMissing('many', documents);
  // Each write after the first ones enters a part of those that wait.
  for (let number = 0; number < 2 * WAITING + 3; number++)
    await store.insertMissing('links', [{ id: `l${number}`, fileId: FILE, number }]);
  /** Changes the file as a database tool does. `$name` stands for the table of a collection. */
  const change = async (...statements: readonly string[]): Promise<void> => {
    await store?.close();
    const database = new Database(folder.file('documents.db'));
    const tables = database.prepare('SELECT name, tbl FROM collections').all() as {
      name: string;
      tbl: string;
    }[];
    for (const statement of statements) {
      const sql = tables.reduce((text, { name, tbl }) => text.replaceAll(`$${name}`, tbl), statement);
      if (sql.startsWith('UPDATE') || sql.startsWith('DELETE') || sql.startsWith('INSERT'))
        t.ok(database.prepare(sql).run().changes > 0, `${statement} changes something`);
      else database.exec(sql);
    }
    database.close();
    store = await open();
  };
  const faults = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const fault of store!.indexFaults()) found.push(fault);
    return found;
  };
  const ids = async (collection: string): Promise<string[]> => {
    const found: string[] = [];
    for await (const page of store!.scan(collection)) found.push(...page.map(({ id }) => id));
    return found;
  };
  return { change, faults, ids };
}

t.test('of a store that nobody changed nothing is said, also after it was opened again', async (t) => {
  const { change, faults } = await scene(t);
  t.strictSame(await faults(), []);
  await change('UPDATE $alerts SET rev = rev');
  t.strictSame(await faults(), []);
});

t.test('a column that was changed alone is named', async (t) => {
  const { change, faults } = await scene(t);
  await change(
    "UPDATE $alerts SET f0 = NULL, f1 = x'00' WHERE id = 'a1'",
    "UPDATE $alerts SET rev = 9 WHERE id = 'a2'",
    "UPDATE $alerts SET f2 = 1 WHERE id = 'a3'",
    "UPDATE $many SET f0 = 'other' WHERE id = 'c1099'",
  );
  t.strictSame(await faults(), [
    'alerts a1: the store finds it by another orgId than the document says',
    'alerts a1: the store finds it by another open than the document says',
    'alerts a2: the store finds it by another rev than the document says',
    'alerts a3: the store finds it by another at than the document says',
    'many c1099: the store finds it by another orgId than the document says',
  ]);
});

t.test('a document under another id is named, and a scan of it ends', async (t) => {
  const { change, faults, ids } = await scene(t);
  await change("UPDATE $alerts SET id = 'a3x' WHERE id = 'a3'");
  t.strictSame(await ids('alerts'), ['a1', 'a2', 'a3']);
  t.strictSame(await faults(), ['alerts a3x: the store finds it by another id than the document says']);
});

t.test('a body that was changed to what no index can have is named', async (t) => {
  const { change, faults } = await scene(t);
  await change(
    "UPDATE $alerts SET body = json_set(body, '$.orgId', json('[]')) WHERE id = 'a1'",
    "UPDATE $alerts SET body = 'no' WHERE id = 'a2'",
  );
  t.strictSame(await faults(), [
    'alerts a1: the store finds it by another orgId than the document says',
    'alerts a2: it holds no document',
  ]);
});

t.test('a read of what is no document names it', async (t) => {
  const { change, ids } = await scene(t);
  await change("UPDATE $alerts SET body = substr(body, 1, length(body) - 1) WHERE id = 'a2'");
  const message = 'the document a2 of the collection alerts is stored as no JSON';
  await t.rejects(ids('alerts'), { code: 'DOCUMENT_UNREADABLE', message });
  for (const body of ['no', '', '{"id":"a3"'] as const) {
    await change(`UPDATE $alerts SET body = '${body}' WHERE id = 'a2'`);
    await t.rejects(ids('alerts'), { code: 'DOCUMENT_UNREADABLE', message }, body);
  }
  for (const body of ['null', '5', '"a2"', '[]']) {
    await change(`UPDATE $alerts SET body = '${body}' WHERE id = 'a2'`);
    const other = 'the document a2 of the collection alerts is stored as JSON that is no document';
    await t.rejects(ids('alerts'), { code: 'DOCUMENT_UNREADABLE', message: other }, body);
  }
});

t.test('entries of a batched index that are gone, or too many, are named', async (t) => {
  const { change, faults } = await scene(t);
  await change(
    'DELETE FROM $links_sorted WHERE k = 2',
    'DELETE FROM $links_waiting WHERE k = (SELECT max(k) FROM $links_waiting)',
  );
  t.strictSame(await faults(), [
    'links l1: the store does not find it by fileId and number',
    'links l10: the store does not find it by fileId and number',
    'links: its index by fileId and number has 9 entries for 11 documents',
  ]);
  const doubled = await scene(t);
  await doubled.change('INSERT INTO $links_sorted SELECT g0, g1 + 100, k FROM $links_sorted WHERE k = 2');
  t.strictSame(await doubled.faults(), [
    'links: its index by fileId and number has 12 entries for 11 documents',
  ]);
});

t.test('an index of the file that has another row than the table is named', async (t) => {
  const { change, faults } = await scene(t);
  const definition = "type = 'index' AND name = (SELECT tbl || '_0' FROM collections WHERE name = 'alerts')";
  // While the index is not in the schema, a change of the table does not reach it.
  await change(
    'PRAGMA writable_schema = ON',
    'CREATE TABLE hidden AS SELECT * FROM sqlite_master',
    `DELETE FROM sqlite_master WHERE ${definition}`,
  );
  await change("UPDATE $alerts SET f0 = 'p', body = json_set(body, '$.orgId', 'p') WHERE id = 'a2'");
  await change(
    'PRAGMA writable_schema = ON',
    `INSERT INTO sqlite_master SELECT * FROM hidden WHERE ${definition}`,
  );
  await change('DROP TABLE hidden');
  t.match((await faults()).join('\n'), /row 2 missing from index c\d+_0/);
});
