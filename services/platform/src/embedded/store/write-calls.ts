import { ConflictError } from '../../ports/errors.ts';
import { isConstraint } from '../sqlite-errors.ts';
import type { Sqlite, SqlValue } from '../sqlite.ts';
import { encodeScalar } from './encode.ts';
import type { CallResult, CollectionLayout, DocumentRow, WriteCall } from './store-protocol.ts';

const NONE: CallResult = { strings: [] };

/** Inside the caller's transaction. @throws ConflictError */
export function writeCall(sqlite: Sqlite, layout: CollectionLayout, call: WriteCall): CallResult {
  try {
    switch (call.op) {
      case 'upsert':
        for (const row of call.rows) upsert(sqlite, layout, row);
        return NONE;
      case 'insertMissing':
        return { strings: insertMissing(sqlite, layout, call.rows) };
      case 'insertUnique':
        for (const row of call.rows) run(sqlite, insertSql(layout), layout, row);
        return NONE;
      case 'update':
        for (const row of call.rows) update(sqlite, layout, row, call.expectedRev);
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

function encode(layout: CollectionLayout, row: DocumentRow): SqlValue[] {
  const values: SqlValue[] = [row.id, row.rev === null ? null : BigInt(row.rev), row.body];
  for (let index = 0; index < layout.columns.length; index++) {
    values.push(encodeScalar(row.values[index]!, layout.columns[index]!.narrow));
  }
  return values;
}

function run(sqlite: Sqlite, sql: string, layout: CollectionLayout, row: DocumentRow): number {
  return sqlite.statement(sql).run(encode(layout, row));
}

function columnsOf(layout: CollectionLayout): string[] {
  return ['id', 'rev', 'body', ...layout.columns.map(({ column }) => column)];
}

function insertSql(layout: CollectionLayout): string {
  const columns = columnsOf(layout);
  return `INSERT INTO ${layout.table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
}

/**
 * Sets only columns that change: SQLite rewrites the entries of every index over a column that a statement sets, and a
 * page of an index a document is what an upsert costs.
 */
function upsert(sqlite: Sqlite, layout: CollectionLayout, row: DocumentRow): void {
  if (layout.columns.length === 0) {
    run(sqlite, plainUpsertSql(layout), layout, row);
    return;
  }
  const [id, rev, body, ...values] = encode(layout, row);
  const found = sqlite.statement(probeSql(layout)).first([...values, id!]);
  if (found === undefined) {
    run(sqlite, insertSql(layout), layout, row);
    return;
  }
  const [key, known, ...same] = found as number[];
  if (known !== null && known! >= row.rev!) return;
  const changed = values.flatMap((_, index) => (same[index] === 1 ? [] : [index]));
  const sets = changed.map((index) => `, ${layout.columns[index]!.column} = ?`);
  const sql = `UPDATE ${layout.table} SET rev = ?, body = ?${sets.join('')} WHERE k = ?`;
  sqlite.statement(sql).run([rev!, body!, ...changed.map((index) => values[index]!), BigInt(key!)]);
}

/** One statement is cheaper where there is nothing but the id to keep an index of. */
function plainUpsertSql(layout: CollectionLayout): string {
  const guard = `${layout.table}.rev IS NULL OR ${layout.table}.rev < excluded.rev`;
  return `${insertSql(layout)} ON CONFLICT (id) DO UPDATE SET rev = excluded.rev, body = excluded.body WHERE ${guard}`;
}

function probeSql(layout: CollectionLayout): string {
  const same = layout.columns.map(({ column }) => `, ${column} IS ?`);
  return `SELECT k, rev${same.join('')} FROM ${layout.table} WHERE id = ?`;
}

function insertMissing(sqlite: Sqlite, layout: CollectionLayout, rows: readonly DocumentRow[]): string[] {
  const sql = `${insertSql(layout)} ON CONFLICT (id) DO NOTHING`;
  const inserted: string[] = [];
  for (const row of rows) if (run(sqlite, sql, layout, row) === 1) inserted.push(row.id);
  return inserted;
}

function update(sqlite: Sqlite, layout: CollectionLayout, row: DocumentRow, expectedRev: number): void {
  const sets = columnsOf(layout)
    .slice(1)
    .map((column) => `${column} = ?`);
  const sql = `UPDATE ${layout.table} SET ${sets.join(', ')} WHERE id = ? AND rev = ?`;
  const [id, ...values] = encode(layout, row);
  if (sqlite.statement(sql).run([...values, id!, BigInt(expectedRev)]) !== 1)
    throw new ConflictError(`${layout.name}: the document is not at the expected rev`);
}
