import { ConflictError } from '../../ports/errors.ts';
import type { Sqlite } from '../sqlite.ts';

/** Names of tables of documents; the number only distinguishes them. */
const TABLE = /^c(\d+)$/;

function tables(sqlite: Sqlite): string[] {
  const rows = sqlite.statement("SELECT name FROM sqlite_master WHERE type = 'table'").all([]);
  return rows.map(([name]) => String(name)).filter((name) => TABLE.test(name));
}

/** Returns a table name above every name that exists. */
export function newTable(sqlite: Sqlite): string {
  return `c${Math.max(-1, ...tables(sqlite).map((name) => Number(TABLE.exec(name)![1]))) + 1}`;
}

/** Makes `replacement` the new `collection`; the old table stays until `dropOrphans`. @throws ConflictError */
export function replaceCollection(sqlite: Sqlite, collection: string, replacement: string): void {
  sqlite.transaction(() => {
    sqlite.statement('DELETE FROM collections WHERE name = ?').run([collection]);
    const rename = sqlite.statement('UPDATE collections SET name = ? WHERE name = ?');
    if (rename.run([collection, replacement]) !== 1)
      throw new ConflictError(`${collection}: its replacement is gone`);
  });
}

/** Forgets the collections; their tables stay until `dropOrphans`. */
export function forgetCollections(sqlite: Sqlite, collections: readonly string[]): void {
  sqlite.transaction(() => {
    for (const name of collections) sqlite.statement('DELETE FROM collections WHERE name = ?').run([name]);
  });
}

/**
 * Drops tables without a collection: no reader uses them any more, or the process that should have dropped them ended
 * first.
 */
export function dropOrphans(sqlite: Sqlite): void {
  const known = new Set(
    sqlite
      .statement('SELECT tbl FROM collections')
      .all([])
      .map(([table]) => String(table)),
  );
  const orphans = tables(sqlite).filter((table) => !known.has(table));
  if (orphans.length === 0) return;
  sqlite.transaction(() => {
    for (const table of orphans) sqlite.exec(`DROP TABLE ${table}`);
  });
}
