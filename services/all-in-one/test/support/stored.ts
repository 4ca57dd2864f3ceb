/** What stands in the document store of a running system: read beside it, as an operator's database tool would. */
import { join } from 'node:path';
import Database from 'libsql';

type Row = Readonly<Record<string, unknown>>;

/** All documents of a collection. */
export function documentsOf(dataDir: string, collection: string): unknown[] {
  const database = new Database(join(dataDir, 'documents.db'), { readonly: true });
  try {
    const found = database.prepare('SELECT tbl FROM collections WHERE name = ?').get(collection) as Row;
    const rows = database.prepare(`SELECT id, body FROM ${String(found['tbl'])}`).all() as Row[];
    return rows.map(({ id, body }) => ({ ...(JSON.parse(String(body)) as object), id }));
  } finally {
    database.close();
  }
}
