/** Tests that the audit names every document that somebody changed, took away or put in, in each collection that it compares. */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import Database from 'libsql';
import t, { type Test } from 'tap';
import { failureMessage, openDataFolder, openEmbeddedDocumentStore } from '@sentinel-node/platform';
import { VIEW_COLLECTIONS } from '@sentinel-node/query';
import { COVERAGE } from '../src/audit/coverage.ts';
import { auditStores } from '../src/audit/command.ts';
import { Findings } from '../src/audit/finding.ts';
import { operate, type Operation } from '../src/operator/run.ts';
import { auditIsClean } from './support/audit.ts';
import { temporaryFolder } from './support/folder.ts';
import { startedNode } from './support/node.ts';
import { version } from './support/reporter.ts';
import { anchoredLinks, historyOn } from './support/scene.ts';
import { FILE_MS, until } from './support/until.ts';
import { documentsOf } from './support/stored.ts';

type Fields = Readonly<Record<string, unknown>> & { readonly id: string };

/** Collections of which each document is compared with the log, also in part, and the one of which all follows from the master secret. */
const COMPARED = [...COVERAGE].flatMap(([name, { by }]) =>
  by === 'log' || by === 'part' || name === 'deployment' ? [name] : [],
);
/** Compared collections of which the store of this test has no document: what is put in is found in these, too. */
const EMPTY: ReadonlySet<string> = new Set([
  ...['enrolments', 'service_tokens', 'webhooks', 'notification_rules', 'maintenance', 'expected'],
  ...['expected_entries', 'past_states', 'alert_work', 'alert_history', 'device_refusals', 'file_parkings'],
  'parking_causes',
]);
const VIEW_NAMES: ReadonlySet<string> = new Set(VIEW_COLLECTIONS.map(({ name }) => name));
/**
 * Documents of batches, which are told by the number of the batch: each collection has another batch changed. The transaction is of
 * the newest one, because a changed one says something of the batch after it.
 */
const OF_BATCHES = ['anchors', 'cuts', 'anchor_transactions'];
/** Members that are not compared, as docs/audit.md says. */
const NOT_COMPARED: ReadonlySet<string> = new Set([
  'anchors evidence',
  'streams policies',
  'anchor_transactions open',
  'anchor_transactions funded',
]);
/** Members of which the form is compared alone: how often a document was changed, and when a reservation or claim was made. */
const OF_SOME_FORM: ReadonlySet<string> = new Set([
  ...['streams rev', 'claims rev', 'cuts rev', 'anchor_transactions rev', 'reservations rev'],
  ...['claims at', 'reservations at'],
  // An earlier first contact has a higher one.
  'device_first_contacts rev',
]);

interface Change {
  readonly collection: string;
  /** Id of the document that has to be named. */
  readonly id: string;
  readonly sql: string;
  readonly values: readonly string[];
  readonly what: string;
  /** Members that have to be named with the document. */
  readonly members: readonly string[];
}

interface Table {
  readonly tbl: string;
  readonly columns: string;
}

function inDocuments<T>(
  dataDir: string,
  work: (database: Database.Database, table: (collection: string) => Table) => T,
): T {
  const database = new Database(join(dataDir, 'documents.db'));
  try {
    const found = database.prepare('SELECT tbl, columns FROM collections WHERE name = ?');
    return work(database, (collection) => found.get(collection) as Table);
  } finally {
    database.close();
  }
}

/** Changes the documents as a database tool does, which leaves the indexes as they are. @returns a function that puts all back */
function make(dataDir: string, changes: readonly Change[]): () => void {
  return inDocuments(dataDir, (database, tableOf) => {
    const names = [...new Set(changes.map(({ collection }) => tableOf(collection).tbl))];
    for (const name of names) database.exec(`CREATE TABLE before_${name} AS SELECT * FROM ${name}`);
    for (const { collection, sql, values } of changes)
      for (const statement of sql.split(';')) {
        const made = database.prepare(statement.replaceAll('$table', tableOf(collection).tbl)).run(...values);
        if (made.changes === 0) throw new Error(`${collection}: ${statement} changes nothing`);
      }
    return () =>
      inDocuments(dataDir, (again) => {
        for (const name of names)
          again.exec(
            `DELETE FROM ${name}; INSERT INTO ${name} SELECT * FROM before_${name}; DROP TABLE before_${name}`,
          );
      });
  });
}

const change = (collection: string, id: string, what: string, sql: string, ...values: string[]): Change => ({
  ...{ collection, id, what: `${collection} ${id}: ${what}`, sql, values, members: [] },
});

/** Returns a value of another type. */
function another(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return 7;
  if (typeof value === 'boolean') return Number(value);
  return Array.isArray(value) ? {} : [];
}

/** Returns another value of the same type. */
function changed(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string')
    return value.endsWith('0') ? `${value.slice(0, -1)}1` : `${value.slice(0, -1)}0`;
  if (typeof value === 'boolean') return !value;
  if (value === null) return 'x';
  return Array.isArray(value) ? [...(value as unknown[]), 1] : { ...value, more: 1 };
}

const update = (collection: string, document: Fields, what: string): Change =>
  change(
    collection,
    document.id,
    what,
    'UPDATE $table SET body = ?1 WHERE id = ?2',
    JSON.stringify(document),
    document.id,
  );

const put = (collection: string, document: Fields): Change =>
  change(
    collection,
    document.id,
    'put in',
    `INSERT INTO $table (id, rev, body) VALUES (?1, json_extract(?2, '$.rev'), ?2)`,
    document.id,
    JSON.stringify(document),
  );

/** Returns SQL that lets the outbox find the document `?1`, by the columns that the store keeps of a document. */
function waitingSql(dataDir: string, collection: string): string {
  const { columns } = inDocuments(dataDir, (_, tableOf) => tableOf(collection));
  const layout = JSON.parse(columns) as readonly { readonly field: string; readonly column: string }[];
  const sets = layout.flatMap(({ column, field }) =>
    field === 'unpublished' || field === 'at' ? [`${column} = json_extract(?2, '$.${field}')`] : [],
  );
  return `UPDATE $table SET ${sets.join(', ')} WHERE id = ?1`;
}

/** Puts changes together that can be made at the same time, so that few audits are needed. */
function rounds(lists: readonly (readonly Change[])[]): Change[][] {
  const made: Change[][] = [];
  for (const list of lists) list.forEach((one, at) => (made[at] ??= []).push(one));
  return made;
}

/** Returns how a sentence about the document begins: one about another document with the same id does not count. */
function beginsOf({ collection, id }: Pick<Change, 'collection' | 'id'>): string[] {
  if (VIEW_NAMES.has(collection)) return [`views: ${collection} ${id}: `];
  if (collection === 'anchored_heads') return [`anchors: FILE ${id}: `];
  if (!OF_BATCHES.includes(collection)) return [`${collection}: ${id}: `, `${collection}: ${id}, of `];
  const ofNone = `anchors: ${collection} ${id}: `;
  return /^\d{16}$/.test(id) ? [ofNone, `anchors: batch ${Number(id)}: `] : [ofNone];
}

const isTold = (change: Change, findings: readonly string[]): boolean =>
  findings.some(
    (said) =>
      beginsOf(change).some((begin) => said.startsWith(begin)) &&
      change.members.every((member) => new RegExp(`\\b${member}\\b`).test(said)),
  );

t.setTimeout(FILE_MS);
t.test('every document of a compared collection', { timeout: FILE_MS }, async (t) => {
  const { node, agent, one, admin } = await historyOn(
    t,
    await startedNode(t, { SENTINEL_INTERVAL_MISSION_CRITICAL: '1' }),
  );
  for (let last = 'c'; ; last += 'c') {
    await anchoredLinks(agent, one);
    if ((await documentsOf(node, 'anchors')).length >= OF_BATCHES.length) break;
    await agent.report(one, 'REPLACED', version(last), version(`${last}c`));
  }
  const [link] = await anchoredLinks(agent, one);
  await until('a block', async () => {
    const proof = await admin.done('GET', `/proofs/${agent.path}/${one}/${link!.id}`);
    return proof['state'] === 'MINED' ? true : undefined;
  });
  await node.stop();
  await auditIsClean(t, node.dataDir);
  const stored = new Map<string, readonly Fields[]>();
  for (const name of COMPARED) stored.set(name, await documentsOf<Fields>(node, name));
  const filled = [...stored].flatMap(([name, documents]) => (documents.length > 0 ? [name] : []));
  t.strictSame(
    COMPARED.filter((name) => !filled.includes(name)).sort(),
    [...EMPTY].sort(),
    'the store has documents of every other collection',
  );

  // All audits are of the same open stores: most of the time of a command is that of opening them.
  await operate({ command: 'audit', dataDir: node.dataDir }, async (operation) => {
    await changesAreTold(t, operation, stored);
    return 0;
  });
  await auditIsClean(t, node.dataDir);
});

async function changesAreTold(
  t: Test,
  operation: Operation,
  stored: ReadonlyMap<string, readonly Fields[]>,
): Promise<void> {
  const { path: dataDir } = operation.dataFolder!;

  /** Audits with the changes. @returns what is told besides the indexes, or the words with which it ends */
  async function told(t: Test, changes: readonly Change[]): Promise<string[]> {
    const folder = openDataFolder(temporaryFolder(t));
    const scratch = await openEmbeddedDocumentStore({ folder });
    const putBack = make(dataDir, changes);
    const said = t.capture(Findings.prototype, 'add', Findings.prototype.add);
    try {
      const given = { writeLine: () => undefined, openScratch: () => Promise.resolve(scratch) };
      await auditStores({ ...operation, ...given }, 1, { checkpoint: undefined, receipts: [] });
    } catch (error) {
      // A command ends with one line for these; for all others, with an internal error.
      const line = failureMessage(error);
      if (line === undefined) throw error;
      return [line];
    } finally {
      said.restore();
      putBack();
      await scratch.close();
      folder.release();
    }
    return said()
      .filter(({ args: [check] }) => check !== 'indexes')
      .map(({ args: [check, what] }) => `${check}: ${what}`);
  }

  async function allTold(t: Test, lists: readonly (readonly Change[])[]): Promise<void> {
    for (const changes of rounds(lists)) {
      const findings = await told(t, changes);
      for (const one of changes)
        t.ok(isTold(one, findings), one.what, isTold(one, findings) ? {} : { findings });
    }
  }

  /** Returns the document of each collection that is changed: of those of batches, each of another one. */
  const chosen = COMPARED.flatMap((name): [string, Fields][] => {
    const documents = stored.get(name)!;
    const batch = OF_BATCHES.indexOf(name);
    const one = documents.at(batch < 0 ? -1 : documents.length - OF_BATCHES.length + batch);
    return one === undefined ? [] : [[name, one]];
  });

  await t.test('is told when it was put in, under whatever id', (t) =>
    allTold(
      t,
      COMPARED.map((name) => {
        const [first = { id: '', rev: 1 }] = stored.get(name)!;
        // A command that ended early can have left a reservation of any name, which others may take.
        const ids = name === 'reservations' ? ['forged', '!'] : ['forged', '!', `${first.id}0`];
        return ids.map((id) => put(name, { ...first, id }));
      }),
    ),
  );
  await t.test('is told when it was taken away', (t) =>
    allTold(
      t,
      chosen.map(([name, { id }]) => [
        change(name, id, 'taken away', 'DELETE FROM $table WHERE id = ?1', id),
      ]),
    ),
  );
  await t.test('is told when it has a member more', (t) =>
    allTold(
      t,
      chosen.map(([name, one]) => [
        {
          ...update(name, { ...one, more: 1 }, 'a member more'),
          members: VIEW_NAMES.has(name) ? ['more'] : [],
        },
      ]),
    ),
  );
  const exchanged = (name: string): Change[] => {
    const [one, two] = stored.get(name)!;
    // Two that say the same have no places of their own.
    if (one === undefined || two === undefined || isDeepStrictEqual({ ...one, id: two.id }, two)) return [];
    const sql =
      'UPDATE $table SET body = CASE id WHEN ?1 THEN ?4 WHEN ?2 THEN ?3 ELSE body END WHERE id IN (?1, ?2)';
    const bodies = [JSON.stringify({ ...one, id: two.id }), JSON.stringify({ ...two, id: one.id })];
    return [change(name, one.id, 'changed places', sql, one.id, two.id, ...bodies)];
  };
  await t.test('is told when two have changed places', (t) =>
    // Of the batches the first two in each collection, one collection after the other.
    allTold(t, [
      ...COMPARED.filter((name) => !OF_BATCHES.includes(name)).map(exchanged),
      OF_BATCHES.flatMap(exchanged),
    ]),
  );
  for (const [title, replaced, passedOver] of [
    ['another type', another, NOT_COMPARED],
    ['another value', changed, new Set([...NOT_COMPARED, ...OF_SOME_FORM])],
  ] as const)
    await t.test(`is told when a member has ${title}`, (t) =>
      allTold(
        t,
        chosen.map(([name, one]) => {
          const members = Object.entries(one).filter(
            ([member]) => member !== 'id' && !passedOver.has(`${name} ${member}`),
          );
          const made = members.map(([member, value]) => ({ [member]: replaced(value) }));
          // A view is compared member by member, so that all are told at the same time.
          if (!VIEW_NAMES.has(name))
            return made.map((other) => update(name, { ...one, ...other }, Object.keys(other).join()));
          const names = members.map(([member]) => member);
          return [
            { ...update(name, Object.assign({}, one, ...made) as Fields, names.join()), members: names },
          ];
        }),
      ),
    );
  await t.test('is told when it says that it waits to be published, and nobody publishes it', async (t) => {
    const [commit] = stored.get('streams')!;
    const [claim] = stored.get('claims')!;
    const later = { ...commit!, id: `${String(commit!['stream'])}:000000000777`, version: 777 };
    const other = { ...claim!, id: 'forged', record: { ...(claim!['record'] as Fields), alertId: 'forged' } };
    for (const mark of [{ unpublished: 2 }, { unpublished: 1, at: 'later' }, { unpublished: 1, at: 1e300 }]) {
      const changes = [put('streams', { ...later, ...mark }), put('claims', { ...other, ...mark })];
      const findings = await told(t, changes);
      for (const one of changes)
        t.ok(isTold(one, findings), `${one.what} ${JSON.stringify(mark)}: ${findings.join('; ')}`);
    }
    const waiting = { rev: 1, unpublished: 1, at: 5 };
    for (const { collection, ...waits } of [
      put('streams', { id: 'forged', ...waiting }),
      put('claims', { id: 'forged', ...waiting }),
      put('streams', { ...later, ...waiting, by: 7 }),
      put('claims', { ...other, ...waiting, record: { ...other.record, note: 7 } }),
    ]) {
      const sql = `${waits.sql};${waitingSql(dataDir, collection)}`;
      const findings = await told(t, [{ ...waits, collection, sql }]);
      const said = new RegExp(`the document ${waits.id} of the collection ${collection} waits`);
      t.match(findings.join('; '), said, waits.what);
    }
  });
  await t.test('is told when it is none', async (t) => {
    const bodies = ['{"id":', '', 'null', '[]', '7'];
    for (const [at, [name, { id }]] of chosen.entries()) {
      const body = bodies[at % bodies.length]!;
      const broken = change(name, id, body, 'UPDATE $table SET body = ?1 WHERE id = ?2', body, id);
      t.match((await told(t, [broken])).join('; '), id, `${name} ${body}`);
    }
  });
}
