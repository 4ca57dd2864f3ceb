import type { CollectionSpec, IndexSpec } from '../../ports/document-store.ts';
import { checkIndexed } from '../../ports/document-checks.ts';
import type { Document } from '../../ports/document-store.ts';
import type { Sqlite } from '../sqlite.ts';
import { indexesOf, makeBatchedTables } from './batched-index.ts';
import { encodeScalar, quote } from './encode.ts';
import { dropOrphans, newTable } from './replace.ts';
import type { CollectionLayout, ColumnLayout } from './store-protocol.ts';

const COLLECTIONS =
  'CREATE TABLE IF NOT EXISTS collections (name TEXT PRIMARY KEY, tbl TEXT NOT NULL, columns TEXT NOT NULL, indexes TEXT NOT NULL) WITHOUT ROWID';
/**
 * Batched indexes stand in a table of their own, so that a version without them takes their collections as having no index
 * and makes a common one.
 */
const BATCHED_INDEXES =
  'CREATE TABLE IF NOT EXISTS batched_indexes (tbl TEXT PRIMARY KEY, name TEXT NOT NULL, fields TEXT NOT NULL) WITHOUT ROWID';
const BACKFILL_ROWS = 1_000;

/** Fields that every table has. */
const OWN_COLUMNS: readonly string[] = ['id', 'rev'];

export function openSchema(sqlite: Sqlite): CollectionLayout[] {
  sqlite.transaction(() => {
    sqlite.exec(COLLECTIONS);
    sqlite.exec(BATCHED_INDEXES);
  });
  const layouts = readLayouts(sqlite);
  dropOrphans(sqlite, layouts);
  return layouts;
}

export function readLayouts(sqlite: Sqlite): CollectionLayout[] {
  const rows = sqlite
    .statement(
      'SELECT name, tbl, columns, indexes, fields FROM collections LEFT JOIN batched_indexes USING (tbl, name)',
    )
    .all([]) as [string, string, string, string, string | null][];
  return rows.map(([name, table, columns, indexes, fields]) =>
    withBatched(
      {
        name,
        table,
        columns: JSON.parse(columns) as ColumnLayout[],
        indexes: JSON.parse(indexes) as IndexSpec[],
      },
      fields === null ? undefined : { fields: JSON.parse(fields) as string[], batched: true },
    ),
  );
}

/** A version without batched indexes may have made the common index, and inserted documents with no entry in the other. */
function withBatched(layout: CollectionLayout, batched: IndexSpec | undefined): CollectionLayout {
  if (batched === undefined || layout.indexes.some((other) => sameIndex(batched, other))) return layout;
  return { ...layout, batched };
}

/**
 * Creates the tables of collections. Documents are stored in order of arrival under an integer key; ids and declared
 * indexes point to the key. This layout suits immutable collections and, as measured, changing collections too.
 */
export function ensureCollections(sqlite: Sqlite, specs: readonly CollectionSpec[]): CollectionLayout[] {
  return sqlite.transaction(() => {
    const known = new Map(readLayouts(sqlite).map((layout) => [layout.name, layout]));
    for (const spec of specs) known.set(spec.name, ensureCollection(sqlite, spec, known));
    return [...known.values()];
  });
}

function ensureCollection(
  sqlite: Sqlite,
  spec: CollectionSpec,
  known: ReadonlyMap<string, CollectionLayout>,
): CollectionLayout {
  const layout = known.get(spec.name) ?? makeTable(sqlite, spec, newTable(sqlite));
  const missing = spec.indexes.filter((index) => !indexesOf(layout).some((other) => sameIndex(index, other)));
  if (missing.length === 0) return layout;
  const columns = addColumns(sqlite, layout, missing);
  missing.forEach((index, at) => makeIndex(sqlite, layout.table, columns, index, layout.indexes.length + at));
  const changed = { ...layout, columns, indexes: [...layout.indexes, ...missing] };
  sqlite
    .statement('UPDATE collections SET columns = ?, indexes = ? WHERE name = ?')
    .run([JSON.stringify(changed.columns), JSON.stringify(changed.indexes), spec.name]);
  return changed;
}

/** Only a new table gets a batched index; one that has documents gets or keeps a common one. */
function makeTable(sqlite: Sqlite, { name, indexes }: CollectionSpec, table: string): CollectionLayout {
  sqlite.exec(
    `CREATE TABLE ${table} (k INTEGER PRIMARY KEY, id TEXT NOT NULL, rev INTEGER, body TEXT NOT NULL)`,
  );
  sqlite.exec(`CREATE UNIQUE INDEX ${table}_id ON ${table} (id)`);
  sqlite.statement("INSERT INTO collections VALUES (?, ?, '[]', '[]')").run([name, table]);
  const layout = { name, table, columns: [], indexes: [] };
  const batched = indexes.find((index) => index.batched);
  if (batched === undefined) return layout;
  makeBatchedTables(sqlite, table);
  sqlite
    .statement('INSERT OR REPLACE INTO batched_indexes VALUES (?, ?, ?)')
    .run([table, name, JSON.stringify(batched.fields)]);
  return { ...layout, batched };
}

function sameIndex(a: IndexSpec, b: IndexSpec): boolean {
  const identity = ({ fields, unique = false, sparse = false }: IndexSpec) =>
    JSON.stringify([fields, unique, sparse]);
  return identity(a) === identity(b);
}

/** Returns whether the field is compared for equality only, that is whether the field is not the index's last. */
function isNarrow(index: IndexSpec, field: string): boolean {
  return index.fields.at(-1) !== field;
}

function addColumns(sqlite: Sqlite, layout: CollectionLayout, indexes: readonly IndexSpec[]): ColumnLayout[] {
  const columns = [...layout.columns];
  for (const index of indexes) {
    for (const field of index.fields) {
      if (OWN_COLUMNS.includes(field)) continue;
      const narrow = isNarrow(index, field);
      if (columns.some((column) => column.field === field && column.narrow === narrow)) continue;
      const column = `f${columns.length}`;
      sqlite.exec(`ALTER TABLE ${layout.table} ADD COLUMN ${column}`);
      columns.push({ field, column, narrow });
    }
  }
  backfill(sqlite, layout.table, columns.slice(layout.columns.length));
  return columns;
}

function backfill(sqlite: Sqlite, table: string, columns: readonly ColumnLayout[]): void {
  if (columns.length === 0) return;
  const page = sqlite.statement(`SELECT k, body FROM ${table} WHERE k > ? ORDER BY k LIMIT ${BACKFILL_ROWS}`);
  const sets = columns.map(({ column }) => `${column} = ?`).join(', ');
  const set = sqlite.statement(`UPDATE ${table} SET ${sets} WHERE k = ?`);
  let after = -1;
  for (;;) {
    const rows = page.all([BigInt(after)]) as [number, string][];
    if (rows.length === 0) return;
    for (const [key, body] of rows) {
      const document = JSON.parse(body) as Document;
      const values = columns.map(({ field, narrow }) => encodeScalar(checkIndexed(document, field), narrow));
      set.run([...values, BigInt(key)]);
      after = key;
    }
  }
}

function makeIndex(
  sqlite: Sqlite,
  table: string,
  columns: readonly ColumnLayout[],
  index: IndexSpec,
  number: number,
): void {
  const names = index.fields.map((field) => {
    if (OWN_COLUMNS.includes(field)) return field;
    return columns.find((column) => column.field === field && column.narrow === isNarrow(index, field))!
      .column;
  });
  const sparse = index.sparse ? ` WHERE ${names.map((name) => `${name} IS NOT NULL`).join(' AND ')}` : '';
  const unique = index.unique ? 'UNIQUE ' : '';
  sqlite.exec(
    `CREATE ${unique}INDEX ${quote(`${table}_${number}`)} ON ${table} (${names.join(', ')})${sparse}`,
  );
}
