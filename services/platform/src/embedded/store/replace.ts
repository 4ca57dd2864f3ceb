import { ConflictError } from '../../ports/errors.ts';
import type { Sqlite } from '../sqlite.ts';

/** Tables of documents; the number only tells them apart. */
const TABLE = /^c(\d+)$/;

function tables(sqlite: Sqlite): string[] {
  const rows = sqlite.statement("SELECT name FROM sqlite_master WHERE type = 'table'").all([]);
  return rows.map(([name]) => String(name)).filter((name) => TABLE.test(name));
}

/** A name that no table has had its place in since the file was opened. */
export function newTable(sqlite: Sqlite): string {
  return `c${Math.max(-1, ...tables(sqlite).map((name) => Number(TABLE.exec(name)![1]))) + 1}`;
}

/** `replacement` becomes `collection`; the table of what was there stays until `dropOrphans`. @throws ConflictError */
export function replaceCollection(sqlite: Sqlite, collection: string, replacement: string): void {
  sqlite.transaction(() => {
    sqlite.statement('DELETE FROM collections WHERE name = ?').run([collection]);
    const rename = sqlite.statement('UPDATE collections SET name = ? WHERE name = ?');
    if (rename.run([collection, replacement]) !== 1)
      throw new ConflictError(`${collection}: its replacement is gone`);
  });
}

/** Their tables stay until `dropOrphans`. */
export function forgetCollections(sqlite: Sqlite, collections: readonly string[]): void {
  sqlite.transaction(() => {
    for (const name of collections) sqlite.statement('DELETE FROM collections WHERE name = ?').run([name]);
  });
}

/** Tables of no collection: nobody reads them any more, or the process that was to drop them has ended. */
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
