import type { Document, Query, QueryPlan } from '../../ports/document-store.ts';
import type { Sqlite, SqlValue } from '../sqlite.ts';
import { compileOrder, compileWhere, padded } from './compile.ts';
import type { CompiledWhere } from './compile.ts';
import type { CallResult, CollectionLayout, ReadCall } from './store-protocol.ts';

/** Documents in one page of a scan. */
const SCAN_PAGE_DOCUMENTS = 500;
const IDS_PER_STATEMENT = 64;

export function readCall(sqlite: Sqlite, layout: CollectionLayout, call: ReadCall): CallResult {
  switch (call.op) {
    case 'getMany':
      return { strings: bodiesOf(sqlite, layout, call.ids) };
    case 'find':
      return { strings: find(sqlite, layout, call.query) };
    case 'count':
      return { count: count(sqlite, layout, call.where) };
    case 'page':
      return { strings: page(sqlite, layout, call.after) };
    case 'explain':
      return { plan: explain(sqlite, layout, call.query) };
  }
}

/** @boundedBy one call */
function bodiesOf(sqlite: Sqlite, layout: CollectionLayout, ids: readonly string[]): string[] {
  if (ids.length === 1) {
    const row = sqlite.statement(`SELECT body FROM ${layout.table} WHERE id = ?`).first(ids);
    return row === undefined ? [] : [row[0] as string];
  }
  const bodies = new Map<string, string>();
  for (let from = 0; from < ids.length; from += IDS_PER_STATEMENT) {
    const part = padded(ids.slice(from, from + IDS_PER_STATEMENT));
    const marks = part.map(() => '?').join(', ');
    const rows = sqlite.statement(`SELECT id, body FROM ${layout.table} WHERE id IN (${marks})`).all(part);
    for (const [id, body] of rows as [string, string][]) bodies.set(id, body);
  }
  return ids.map((id) => bodies.get(id)).filter((body) => body !== undefined);
}

function findValues(query: Query, where: CompiledWhere): SqlValue[] {
  return where.contains.length > 0 ? [...where.values] : [...where.values, BigInt(query.limit)];
}

function findSql(layout: CollectionLayout, query: Query, where: CompiledWhere): string {
  const limit = where.contains.length > 0 ? '' : ' LIMIT ?';
  return `SELECT body FROM ${layout.table}${where.sql}${compileOrder(layout, query.sort)}${limit}`;
}

function find(sqlite: Sqlite, layout: CollectionLayout, query: Query): string[] {
  const where = compileWhere(layout, query.where);
  const rows = sqlite.statement(findSql(layout, query, where));
  if (where.contains.length === 0) return rows.all(findValues(query, where)).map((row) => row[0] as string);
  const found: string[] = [];
  for (const [body] of rows.iterate(where.values)) {
    if (matches(body as string, where.contains) && found.push(body as string) === query.limit) break;
  }
  rows.reset(where.values);
  return found;
}

/** Lower-cases letters by Unicode; SQLite's LIKE does so for ASCII only. */
function matches(body: string, contains: CompiledWhere['contains']): boolean {
  const document = JSON.parse(body) as Document;
  return contains.every(({ field, needle }) => {
    const value = document[field];
    return typeof value === 'string' && value.toLowerCase().includes(needle);
  });
}

function count(sqlite: Sqlite, layout: CollectionLayout, wanted: Query['where']): number {
  const where = compileWhere(layout, wanted);
  if (where.contains.length === 0) {
    const row = sqlite.statement(`SELECT count(*) FROM ${layout.table}${where.sql}`).first(where.values);
    return Number(row![0]);
  }
  let counted = 0;
  const rows = sqlite.statement(`SELECT body FROM ${layout.table}${where.sql}`).iterate(where.values);
  for (const [body] of rows) if (matches(body as string, where.contains)) counted++;
  return counted;
}

function page(sqlite: Sqlite, layout: CollectionLayout, after: string | null): string[] {
  const from = after === null ? '' : ' WHERE id > ?';
  const sql = `SELECT body FROM ${layout.table}${from} ORDER BY id LIMIT ${SCAN_PAGE_DOCUMENTS}`;
  return sqlite
    .statement(sql)
    .all(after === null ? [] : [after])
    .map((row) => row[0] as string);
}

/** Explains a query. A scan in index order also counts as a full scan, unless the limit alone bounds the result. */
function explain(sqlite: Sqlite, layout: CollectionLayout, query: Query): QueryPlan {
  const where = compileWhere(layout, query.where);
  const values = findValues(query, where);
  const plan = sqlite.statement(`EXPLAIN QUERY PLAN ${findSql(layout, query, where)}`);
  const details = plan.all(values).map((row) => String(row[3]));
  plan.reset(values);
  const limited = where.sql === '' && !details.some((detail) => detail.includes('TEMP B-TREE FOR ORDER BY'));
  const fullScan = details.some(
    (detail) => detail.startsWith('SCAN') && !(limited && /USING (COVERING )?INDEX/.test(detail)),
  );
  return { fullScan, detail: details.join('; ') };
}
