import type { Document, Query, QueryPlan } from '../../ports/document-store.ts';
import type { Sqlite } from '../sqlite.ts';
import { isServed } from './batched-index.ts';
import { batchedSelect } from './batched-select.ts';
import type { Select, Wanted } from './batched-select.ts';
import { compileOrder, compileWhere, padded } from './compile.ts';
import type { CompiledWhere } from './compile.ts';
import type { CallResult, CollectionLayout, ReadCall } from './store-protocol.ts';
import type { WaitingEntries } from './waiting-entries.ts';

/** Documents in one page of a scan. */
const SCAN_PAGE_DOCUMENTS = 500;
const IDS_PER_STATEMENT = 64;

export function readCall(
  sqlite: Sqlite,
  layout: CollectionLayout,
  waiting: WaitingEntries,
  call: ReadCall,
): CallResult {
  switch (call.op) {
    case 'getMany':
      return { strings: bodiesOf(sqlite, layout, call.ids) };
    case 'find':
      return withSelect(layout, waiting, call.query, (select) => ({
        strings: find(sqlite, select, call.query.limit),
      }));
    case 'count':
      return withSelect(layout, waiting, { where: call.where }, (select) => ({
        count: count(sqlite, select),
      }));
    case 'page':
      return page(sqlite, layout, call.after);
    case 'explain':
      return withSelect(layout, waiting, call.query, (select) => ({
        plan: explain(sqlite, select, call.query.where),
      }));
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

/** Calls `work` with the query, in one snapshot if a batched index serves it. */
function withSelect(
  layout: CollectionLayout,
  waiting: WaitingEntries,
  query: Wanted,
  work: (select: Select) => CallResult,
): CallResult {
  if (!isServed(layout, query.where)) return work(plainSelect(layout, query));
  return waiting.read(layout.table, (first) => work(batchedSelect(layout, query, first)));
}

function plainSelect(layout: CollectionLayout, { where: wanted, sort, limit }: Wanted): Select {
  const where = compileWhere(layout, wanted);
  const limits = limit !== undefined && where.contains.length === 0;
  const order = limit === undefined ? '' : compileOrder(layout, sort);
  return {
    sql: `SELECT body FROM ${layout.table}${where.sql}${order}${limits ? ' LIMIT ?' : ''}`,
    values: limits ? [...where.values, BigInt(limit)] : where.values,
    contains: where.contains,
  };
}

function find(sqlite: Sqlite, { sql, values, contains }: Select, limit: number): string[] {
  const rows = sqlite.statement(sql);
  if (contains.length === 0) return rows.all(values).map((row) => row[0] as string);
  const found: string[] = [];
  for (const [body] of rows.iterate(values)) {
    if (matches(body as string, contains) && found.push(body as string) === limit) break;
  }
  rows.reset(values);
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

function count(sqlite: Sqlite, { sql, values, contains }: Select): number {
  if (contains.length === 0)
    return Number(sqlite.statement(`SELECT count(*) FROM (${sql})`).first(values)![0]);
  let counted = 0;
  for (const [body] of sqlite.statement(sql).iterate(values))
    if (matches(body as string, contains)) counted++;
  return counted;
}

/** Goes on by the id of the table: one in a document that was changed could lead back, without an end. */
function page(sqlite: Sqlite, layout: CollectionLayout, after: string | null): CallResult {
  const from = after === null ? '' : ' WHERE id > ?';
  const sql = `SELECT body, id FROM ${layout.table}${from} ORDER BY id LIMIT ${SCAN_PAGE_DOCUMENTS}`;
  const rows = sqlite.statement(sql).all(after === null ? [] : [after]) as [string, string][];
  return { strings: rows.map(([body]) => body), ids: rows.map(([, id]) => id) };
}

/** Explains a query. A scan in index order also counts as a full scan, unless the limit alone bounds the result. */
function explain(sqlite: Sqlite, { sql, values }: Select, where: Query['where']): QueryPlan {
  const plan = sqlite.statement(`EXPLAIN QUERY PLAN ${sql}`);
  const details = plan.all(values).map((row) => String(row[3]));
  plan.reset(values);
  const isOpen = Object.keys(where ?? {}).length === 0;
  const limited = isOpen && !details.some((detail) => detail.includes('TEMP B-TREE FOR ORDER BY'));
  const fullScan = details.some(
    (detail) => detail.startsWith('SCAN') && !(limited && /USING (COVERING )?INDEX/.test(detail)),
  );
  return { fullScan, detail: details.join('; ') };
}
