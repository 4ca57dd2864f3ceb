import { ConflictError } from '../../ports/errors.ts';
import type { Sqlite } from '../sqlite.ts';
import { makeIndexes } from './schema.ts';
import type { CollectionLayout } from './store-protocol.ts';

/**
 * Makes the indexes of `replacement` and makes it the new `collection`; the old table stays until `dropOrphans`.
 * @throws ConflictError
 */
export function replaceCollection(
  sqlite: Sqlite,
  collection: string,
  replacement: string,
  layout: CollectionLayout | undefined,
): void {
  sqlite.transaction(() => {
    if (layout !== undefined) makeIndexes(sqlite, layout);
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
