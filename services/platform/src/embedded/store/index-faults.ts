import { checkIndexed } from '../../ports/document-checks.ts';
import type { Document } from '../../ports/document-store.ts';
import type { Sqlite, SqlRow, SqlValue } from '../sqlite.ts';
import { encodeKey, sortedOf, waitingOf } from './batched-index.ts';
import { encodeScalar } from './encode.ts';
import type { CollectionLayout } from './store-protocol.ts';
import { AFTER_ALL } from './waiting-entries.ts';

/** Documents compared in one call, so that other reads of the thread wait for one page only. */
const PAGE_DOCUMENTS = 500;
/** Most faults that SQLite names of a file. */
const FILE_FAULTS = 20;

export interface FaultsPage {
  readonly faults: readonly string[];
  /** Key of the last compared row; null at the end. */
  readonly after: number | null;
}

/**
 * Compares the columns and index entries of the next documents with the documents themselves. Reads find documents by these
 * copies, so that one that was changed alone hides a document, although the document is as it was written.
 */
export function indexFaults(sqlite: Sqlite, layout: CollectionLayout, after: number): FaultsPage {
  return sqlite.snapshot(() => {
    const columns = ['k', 'id', 'rev', 'body', ...layout.columns.map(({ column }) => column)].join(', ');
    const rows = sqlite
      .statement(`SELECT ${columns} FROM ${layout.table} WHERE k > ? ORDER BY k LIMIT ${PAGE_DOCUMENTS}`)
      .all([BigInt(after)]);
    const first = firstWaiting(sqlite, layout);
    const faults = rows.flatMap((row) => faultsOf(sqlite, layout, first, row));
    const last = rows.at(-1);
    if (last !== undefined) return { faults, after: Number(last[0]) };
    return { faults: entryCountFaults(sqlite, layout, first), after: null };
  });
}

/** Returns what SQLite says of the file: pages that cannot be read, and entries of indexes without or beside their rows. */
export function fileFaults(sqlite: Sqlite): string[] {
  const said = sqlite.pragma(`integrity_check(${FILE_FAULTS})`).map(([line]) => String(line));
  return said.length === 1 && said[0] === 'ok' ? [] : said;
}

function faultsOf(sqlite: Sqlite, layout: CollectionLayout, first: bigint, row: SqlRow): string[] {
  const [k, id, rev, body, ...stored] = row;
  const name = `${layout.name} ${String(id)}`;
  const document = documentOf(body);
  if (document === undefined) return [`${name}: it holds no document`];
  const wrong = [
    ...(id === document.id ? [] : ['id']),
    ...(rev === (document.rev ?? null) ? [] : ['rev']),
    ...layout.columns
      .filter(({ field, narrow }, at) => !isSame(stored[at], encodedOf(document, field, narrow)))
      .map(({ field }) => field),
  ];
  return [
    ...[...new Set(wrong)].map(
      (field) => `${name}: the store finds it by another ${field} than the document says`,
    ),
    ...entryFaults(sqlite, layout, first, BigInt(Number(k)), document),
  ];
}

function documentOf(body: unknown): Document | undefined {
  try {
    const document: unknown = JSON.parse(String(body));
    return typeof document === 'object' && document !== null ? (document as Document) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the value of a column; undefined, which no column holds, for a field that no index can have. */
function encodedOf(document: Document, field: string, narrow: boolean): SqlValue | undefined {
  try {
    return encodeScalar(checkIndexed(document, field), narrow);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function isSame(stored: unknown, expected: SqlValue | undefined): boolean {
  if (expected instanceof Uint8Array)
    return stored instanceof Uint8Array && Buffer.compare(stored, expected) === 0;
  return stored === (typeof expected === 'bigint' ? Number(expected) : expected);
}

/** Returns the key of the first waiting entry: reads take it and later ones from the waiting table, the others from the sorted one. */
function firstWaiting(sqlite: Sqlite, { batched, table }: CollectionLayout): bigint {
  if (batched === undefined) return AFTER_ALL;
  const min = sqlite.statement(`SELECT min(k) FROM ${waitingOf(table)}`).first([])?.[0];
  return typeof min === 'number' ? BigInt(min) : AFTER_ALL;
}

function entryFaults(
  sqlite: Sqlite,
  { batched, name, table }: CollectionLayout,
  first: bigint,
  k: bigint,
  document: Document,
): string[] {
  if (batched === undefined) return [];
  const keys = batched.fields.map((field, at) => encodeKey(checkIndexed(document, field), at));
  const entries = k < first ? sortedOf(table) : waitingOf(table);
  const found = sqlite
    .statement(`SELECT 1 FROM ${entries} WHERE g0 = ? AND g1 = ? AND k = ?`)
    .first([...keys, k]);
  const by = batched.fields.join(' and ');
  return found === undefined ? [`${name} ${document.id}: the store does not find it by ${by}`] : [];
}

/** Returns a fault when a batched index has more entries than there are documents, or fewer. */
function entryCountFaults(
  sqlite: Sqlite,
  { batched, name, table }: CollectionLayout,
  first: bigint,
): string[] {
  if (batched === undefined) return [];
  const counts = sqlite
    .statement(
      `SELECT (SELECT count(*) FROM ${table}), ` +
        `(SELECT count(*) FROM ${sortedOf(table)} WHERE k < ?) + (SELECT count(*) FROM ${waitingOf(table)})`,
    )
    .first([first]);
  const [documents, entries] = (counts ?? []).map(Number);
  return documents === entries
    ? []
    : [
        `${name}: its index by ${batched.fields.join(' and ')} has ${entries} entries for ${documents} documents`,
      ];
}
