import { ConflictError } from '../../ports/errors.ts';
import type { Sqlite } from '../sqlite.ts';
import { BATCHED_TABLE } from './batched-index.ts';
import type { CollectionLayout } from './store-protocol.ts';

/** Names of tables of documents; the number only distinguishes them. */
const TABLE = /^c(\d+)$/;

function tables(sqlite: Sqlite): string[] {
  const rows = sqlite.statement("SELECT name FROM sqlite_master WHERE type = 'table'").all([]);
  return rows.map(([name]) => String(name));
}

/** Returns the number of a table of documents; -1 for every other table. */
const numberOf = (name: string) => Number(TABLE.exec(name)?.[1] ?? -1);

/** Returns a table name above every name that exists. */
export function newTable(sqlite: Sqlite): string {
  return `c${Math.max(-1, ...tables(sqlite).map(numberOf)) + 1}`;
}

/** Makes `replacement` the new `collection`; the old table stays until `dropOrphans`. @throws ConflictError */
export function replaceCollection(sqlite: Sqlite, collection: string, replacement: string): void {
  sqlite.transaction(() => {
    sqlite.statement('DELETE FROM collections WHERE name = ?').run([collection]);
    const rename = sqlite.statement('UPDATE collections SET name = ? WHERE name = ?');
    if (rename.run([collection, replacement]) !== 1)
      throw new ConflictError(`${collection}: its replacement is gone`);
    sqlite.statement('UPDATE batched_indexes SET name = ? WHERE name = ?').run([collection, replacement]);
  });
}

/** Forgets the collections; their tables stay until `dropOrphans`. */
export function forgetCollections(sqlite: Sqlite, collections: readonly string[]): void {
  sqlite.transaction(() => {
    for (const name of collections) sqlite.statement('DELETE FROM collections WHERE name = ?').run([name]);
  });
}

/**
 * Drops tables without a collection, and tables of batched indexes that no layout names: no reader uses them any more, or
 * the process that should have dropped them ended first.
 */
export function dropOrphans(sqlite: Sqlite, layouts: readonly CollectionLayout[]): void {
  const known = new Set(layouts.map(({ table }) => table));
  const batched = new Set(layouts.filter((layout) => layout.batched !== undefined).map(({ table }) => table));
  const isOrphan = (name: string) => {
    const of = BATCHED_TABLE.exec(name)?.[1];
    return of === undefined ? TABLE.test(name) && !known.has(name) : !batched.has(of);
  };
  const orphans = tables(sqlite).filter(isOrphan);
  if (orphans.length === 0) return;
  sqlite.transaction(() => {
    for (const table of orphans) sqlite.exec(`DROP TABLE ${table}`);
    const marks = [...batched].map(() => '?').join(', ');
    sqlite.statement(`DELETE FROM batched_indexes WHERE tbl NOT IN (${marks})`).run([...batched]);
  });
}
