/** Tests that the audit names every document that somebody changed, took away or put in, in each collection that it compares. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import Database from 'libsql';
import t, { type Test } from 'tap';
import { failureMessage } from '@sentinel-node/platform';
import { COVERAGE } from '../src/audit/coverage.ts';
import { auditStores } from '../src/audit/command.ts';
import { Findings } from '../src/audit/finding.ts';
import { operate } from '../src/operator/run.ts';
import { auditIsClean } from './support/audit.ts';
import { temporaryFolder } from './support/folder.ts';
import { startedNode } from './support/node.ts';
import { anchoredLinks, historyOn } from './support/scene.ts';
import { FILE_MS, until } from './support/until.ts';
import { documentsOf } from './support/stored.ts';

type Fields = Readonly<Record<string, unknown>> & { readonly id: string };

/** Collections of which each document is compared with the log, also in part. */
const COMPARED = [...COVERAGE].flatMap(([name, { by }]) => (by === 'log' || by === 'part' ? [name] : []));
/** Compared collections of which the store of this test has no document: what is put in is found in these, too. */
const EMPTY: ReadonlySet<string> = new Set([
  ...['enrolments', 'service_tokens', 'webhooks', 'notification_rules', 'maintenance', 'expected'],
  ...['expected_entries', 'past_states', 'alert_work', 'alert_history', 'device_refusals', 'file_parkings'],
  'parking_causes',
]);
/** Of these several are told by the same words: changes of them are made one after the other. */
const OF_BATCHES = ['anchors', 'cuts', 'anchor_transactions', 'anchored_heads'];
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
]);

interface Change {
  readonly collection: string;
  /** Id of the document that has to be named. */
  readonly id: string;
  readonly sql: string;
  readonly values: readonly string[];
  readonly what: string;
}

/** Changes the documents as a database tool does, which leaves the indexes as they are. */
function make(dataDir: string, changes: readonly Change[]): void {
  const database = new Database(join(dataDir, 'documents.db'));
  try {
    for (const { collection, sql, values } of changes) {
      const found = database.prepare('SELECT tbl FROM collections WHERE name = ?').get(collection);
      const table = String((found as Fields)['tbl']);
      for (const statement of sql.split(';')) {
        const { changes: rows } = database.prepare(statement.replaceAll('$table', table)).run(...values);
        if (rows === 0) throw new Error(`${collection}: ${statement} changes nothing`);
      }
    }
  } finally {
    database.close();
  }
}

const change = (collection: string, id: string, what: string, sql: string, ...values: string[]): Change => ({
  ...{ collection, id, what: `${collection} ${id}: ${what}`, sql, values },
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
  const database = new Database(join(dataDir, 'documents.db'), { readonly: true });
  try {
    const { columns } = database
      .prepare('SELECT columns FROM collections WHERE name = ?')
      .get(collection) as {
      readonly columns: string;
    };
    const layout = JSON.parse(columns) as readonly { readonly field: string; readonly column: string }[];
    const sets = layout.flatMap(({ column, field }) =>
      field === 'unpublished' || field === 'at' ? [`${column} = json_extract(?2, '$.${field}')`] : [],
    );
    return `UPDATE $table SET ${sets.join(', ')} WHERE id = ?1`;
  } finally {
    database.close();
  }
}

/** Puts changes together that can be made at the same time, so that few audits are needed. */
function rounds(lists: readonly (readonly Change[])[]): Change[][] {
  const made: Change[][] = [];
  for (const list of lists) list.forEach((one, at) => (made[at] ??= []).push(one));
  return made;
}

const isTold = ({ collection, id }: Change, findings: readonly string[]): boolean =>
  findings.some(
    (what) =>
      what.includes(id) ||
      (OF_BATCHES.includes(collection) && /^\d+$/.test(id) && what.includes(`batch ${Number(id)}`)),
  );

t.setTimeout(FILE_MS);
t.test('every document of a compared collection', { timeout: FILE_MS }, async (t) => {
  const { node, agent, one, admin } = await historyOn(
    t,
    await startedNode(t, { SENTINEL_INTERVAL_MISSION_CRITICAL: '1' }),
  );
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

  /** Audits a copy with the changes. @returns what is told besides the indexes, or the words with which it ends */
  async function told(t: Test, changes: readonly Change[]): Promise<string[]> {
    const dataDir = temporaryFolder(t);
    cpSync(node.dataDir, dataDir, { recursive: true });
    make(dataDir, changes);
    const said = t.capture(Findings.prototype, 'add', Findings.prototype.add);
    try {
      await operate({ command: 'audit', dataDir }, async (operation) => {
        await auditStores(operation, 1, { checkpoint: undefined, receipts: [] });
        return 0;
      });
    } catch (error) {
      // A command ends with one line for these; for all others, with an internal error.
      const line = failureMessage(error);
      if (line === undefined) throw error;
      return [line];
    } finally {
      said.restore();
    }
    return said()
      .filter(({ args: [check] }) => check !== 'indexes')
      .map(({ args: [, what] }) => what);
  }

  async function allTold(t: Test, of: (collection: string) => readonly Change[]): Promise<void> {
    const others = COMPARED.filter((name) => !OF_BATCHES.includes(name)).map(of);
    for (const changes of rounds([...others, OF_BATCHES.flatMap(of)])) {
      const findings = await told(t, changes);
      for (const one of changes)
        t.ok(isTold(one, findings), one.what, isTold(one, findings) ? {} : { findings });
    }
  }

  await t.test('is told when it was put in, under whatever id', (t) =>
    allTold(t, (name) => {
      const [first = { id: '', rev: 1 }] = stored.get(name)!;
      // A command that ended early can have left a reservation of any name, which others may take.
      const ids = name === 'reservations' ? ['forged', '!'] : ['forged', '!', `${first.id}0`];
      return ids.map((id) => put(name, { ...first, id }));
    }),
  );
  await t.test('is told when it was taken away', (t) =>
    allTold(t, (name) =>
      stored
        .get(name)!
        .slice(-1)
        .map(({ id }) => change(name, id, 'taken away', 'DELETE FROM $table WHERE id = ?1', id)),
    ),
  );
  await t.test('is told when it has a member more', (t) =>
    allTold(t, (name) =>
      stored
        .get(name)!
        .slice(-1)
        .map((one) => update(name, { ...one, more: 1 }, 'a member more')),
    ),
  );
  await t.test('is told when two have changed places', (t) =>
    allTold(t, (name) => {
      const [one, two] = stored.get(name)!;
      // Two that say the same have no places of their own.
      if (one === undefined || two === undefined || isDeepStrictEqual({ ...one, id: two.id }, two)) return [];
      const sql =
        'UPDATE $table SET body = CASE id WHEN ?1 THEN ?4 WHEN ?2 THEN ?3 ELSE body END WHERE id IN (?1, ?2)';
      const bodies = [JSON.stringify({ ...one, id: two.id }), JSON.stringify({ ...two, id: one.id })];
      return [change(name, one.id, 'changed places', sql, one.id, two.id, ...bodies)];
    }),
  );
  for (const [title, replaced, passedOver] of [
    ['another type', another, NOT_COMPARED],
    ['another value', changed, new Set([...NOT_COMPARED, ...OF_SOME_FORM])],
  ] as const)
    await t.test(`is told when a member has ${title}`, (t) =>
      allTold(t, (name) =>
        stored
          .get(name)!
          .slice(-1)
          .flatMap((one) =>
            Object.entries(one)
              .filter(([member]) => member !== 'id' && !passedOver.has(`${name} ${member}`))
              .map(([member, value]) => update(name, { ...one, [member]: replaced(value) }, member)),
          ),
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
    for (const name of ['streams', 'claims']) {
      const waits = put(name, { id: 'forged', rev: 1, unpublished: 1, at: 5 });
      const sql = `${waits.sql};${waitingSql(node.dataDir, name)}`;
      const findings = await told(t, [{ ...waits, sql }]);
      t.match(findings.join('; '), new RegExp(`the document forged of the collection ${name} waits`));
    }
  });
  await t.test('is told when it is none', async (t) => {
    const bodies = ['{"id":', '', 'null', '[]', '7'];
    for (const [at, name] of filled.entries()) {
      const { id } = stored.get(name)![0]!;
      const body = bodies[at % bodies.length]!;
      const broken = change(name, id, body, 'UPDATE $table SET body = ?1 WHERE id = ?2', body, id);
      t.match((await told(t, [broken])).join('; '), id, `${name} ${body}`);
    }
  });
});
