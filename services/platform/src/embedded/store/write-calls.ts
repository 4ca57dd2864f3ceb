import { ConflictError } from '../../ports/errors.ts';
import { isConstraint } from '../sqlite-errors.ts';
import type { Sqlite, SqlValue } from '../sqlite.ts';
import { encodeKey, waitSql } from './batched-index.ts';
import { encodeScalar } from './encode.ts';
import type { CallResult, CollectionLayout, DocumentRows, WriteCall } from './store-protocol.ts';

type OneWrite = Exclude<WriteCall, { op: 'inOrder' }>;

const NONE: CallResult = { strings: [] };

/** Runs one call inside the caller's transaction. @throws ConflictError */
export function writeCall(
  sqlite: Sqlite,
  layoutOf: (collection: string) => CollectionLayout,
  call: WriteCall,
): CallResult {
  if (call.op !== 'inOrder') return oneWrite(sqlite, layoutOf(call.collection), call);
  for (const write of call.writes) oneWrite(sqlite, layoutOf(write.collection), write);
  return NONE;
}

function oneWrite(sqlite: Sqlite, layout: CollectionLayout, call: OneWrite): CallResult {
  try {
    switch (call.op) {
      case 'upsert':
        upsert(sqlite, layout, call.rows);
        return NONE;
      case 'insertMissing':
        return { strings: insertMissing(sqlite, layout, call.rows) };
      case 'insertUnique':
        runEach(sqlite, insertSql(layout), layout, call.rows);
        return NONE;
      case 'update':
        update(sqlite, layout, call.rows, call.expectedRev);
        return NONE;
      case 'remove':
        for (const id of call.ids) sqlite.statement(`DELETE FROM ${layout.table} WHERE id = ?`).run([id]);
        return NONE;
    }
  } catch (error) {
    if (isConstraint(error))
      throw new ConflictError(`${layout.name}: the id or a unique index already holds it`);
    throw error;
  }
}

function encode(layout: CollectionLayout, rows: DocumentRows, at: number): SqlValue[] {
  const rev = rows.revs[at]!;
  const values: SqlValue[] = [rows.ids[at]!, rev === null ? null : BigInt(rev), rows.bodies[at]!];
  for (let index = 0; index < layout.columns.length; index++) {
    values.push(encodeScalar(rows.values[index]![at]!, layout.columns[index]!.narrow));
  }
  return values;
}

/** @returns the ids of the rows that the statement changed */
function runEach(sqlite: Sqlite, sql: string, layout: CollectionLayout, rows: DocumentRows): string[] {
  const statement = sqlite.statement(sql);
  return rows.ids.filter((_, at) => statement.run(encode(layout, rows, at)) === 1);
}

function columnsOf(layout: CollectionLayout): string[] {
  return ['id', 'rev', 'body', ...layout.columns.map(({ column }) => column)];
}

function insertSql(layout: CollectionLayout): string {
  const columns = columnsOf(layout);
  return `INSERT INTO ${layout.table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
}

/**
 * Sets only columns that change: SQLite rewrites the entries of every index over a column that a statement sets, and
 * writing one index page for each document is the main cost of an upsert.
 */
function upsert(sqlite: Sqlite, layout: CollectionLayout, rows: DocumentRows): void {
  if (layout.columns.length === 0) {
    runEach(sqlite, plainUpsertSql(layout), layout, rows);
    return;
  }
  const probe = sqlite.statement(probeSql(layout));
  const insert = sqlite.statement(insertSql(layout));
  for (let at = 0; at < rows.ids.length; at++) {
    const row = encode(layout, rows, at);
    const found = probe.first([...row.slice(3), row[0]!]);
    if (found === undefined) insert.run(row);
    else updateChanged(sqlite, layout, row, found as number[]);
  }
}

/**
 * Updates a row. `found` is the result of the probe: key, `rev`, and for each column whether the value is the same.
 */
function updateChanged(
  sqlite: Sqlite,
  layout: CollectionLayout,
  [, rev, body, ...values]: readonly SqlValue[],
  [key, known, ...same]: readonly number[],
): void {
  if (known !== null && BigInt(known!) >= (rev as bigint)) return;
  const changed = values.flatMap((_, index) => (same[index] === 1 ? [] : [index]));
  const sets = changed.map((index) => `, ${layout.columns[index]!.column} = ?`);
  const sql = `UPDATE ${layout.table} SET rev = ?, body = ?${sets.join('')} WHERE k = ?`;
  sqlite.statement(sql).run([rev!, body!, ...changed.map((index) => values[index]!), BigInt(key!)]);
}

/** Returns a single statement, which is cheaper for a table whose only index is the id. */
function plainUpsertSql(layout: CollectionLayout): string {
  const guard = `${layout.table}.rev IS NULL OR ${layout.table}.rev < excluded.rev`;
  return `${insertSql(layout)} ON CONFLICT (id) DO UPDATE SET rev = excluded.rev, body = excluded.body WHERE ${guard}`;
}

function probeSql(layout: CollectionLayout): string {
  const same = layout.columns.map(({ column }) => `, ${column} IS ?`);
  return `SELECT k, rev${same.join('')} FROM ${layout.table} WHERE id = ?`;
}

function insertMissing(sqlite: Sqlite, layout: CollectionLayout, rows: DocumentRows): string[] {
  const sql = `${insertSql(layout)} ON CONFLICT (id) DO NOTHING`;
  if (layout.batched === undefined) return runEach(sqlite, sql, layout, rows);
  const insert = sqlite.statement(sql);
  const wait = sqlite.statement(waitSql(layout.table));
  return rows.ids.filter((_, at) => {
    if (insert.run(encode(layout, rows, at)) !== 1) return false;
    wait.run(rows.keys!.map((keys, field) => encodeKey(keys[at]!, field)));
    return true;
  });
}

function update(sqlite: Sqlite, layout: CollectionLayout, rows: DocumentRows, expectedRev: number): void {
  const sets = columnsOf(layout)
    .slice(1)
    .map((column) => `${column} = ?`);
  const sql = `UPDATE ${layout.table} SET ${sets.join(', ')} WHERE id = ? AND rev = ?`;
  const [id, ...values] = encode(layout, rows, 0);
  if (sqlite.statement(sql).run([...values, id!, BigInt(expectedRev)]) !== 1)
    throw new ConflictError(`${layout.name}: the document is not at the expected rev`);
}
