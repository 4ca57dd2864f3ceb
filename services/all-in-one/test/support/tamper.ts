/** Changes the files of a stopped system, as an operator with a database tool could. */
import { join } from 'node:path';
import Database from 'libsql';

type Row = Readonly<Record<string, unknown>>;

function within<T>(file: string, work: (database: Database.Database) => T): T {
  const database = new Database(file);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** Runs `sql` on the table of a collection; `$table` stands for its name. @returns changed rows */
export function inViews(dataDir: string, collection: string, sql: string, ...values: string[]): number {
  return within(join(dataDir, 'documents.db'), (database) => {
    const found = database.prepare('SELECT tbl FROM collections WHERE name = ?').get(collection) as Row;
    return database.prepare(sql.replaceAll('$table', String(found['tbl']))).run(...values).changes;
  });
}

/**
 * Replaces `before` by `after` in the log's batches that contain all `marks`; both have the same length.
 * @returns the number of changed batches
 */
export function inLog(dataDir: string, marks: readonly string[], before: string, after: string): number {
  if (before.length !== after.length) throw new Error('lengths in the log would not fit');
  return within(join(dataDir, 'log.db'), (database) => {
    let changed = 0;
    for (const row of database.prepare('SELECT k, frame FROM batches').all() as Row[]) {
      const text = Buffer.from(row['frame'] as Buffer).toString('latin1');
      if (!text.includes(before) || !marks.every((mark) => text.includes(mark))) continue;
      const frame = Buffer.from(text.replaceAll(before, after), 'latin1');
      database.prepare('UPDATE batches SET frame = ? WHERE k = ?').run(frame, row['k']);
      changed += 1;
    }
    return changed;
  });
}

/** Runs `sql` on the file of the log. @returns changed rows */
export function inLogFile(dataDir: string, sql: string): number {
  return within(join(dataDir, 'log.db'), (database) => database.prepare(sql).run().changes);
}

/** Returns the first group of the first match in the log. */
export function foundInLog(dataDir: string, pattern: RegExp): string {
  return within(join(dataDir, 'log.db'), (database) => {
    const frames = (database.prepare('SELECT frame FROM batches').all() as Row[]).map((row) =>
      Buffer.from(row['frame'] as Buffer).toString('latin1'),
    );
    const found = frames.map((frame) => pattern.exec(frame)?.[1]).find((match) => match !== undefined);
    if (found === undefined) throw new Error(`nothing in the log fits ${String(pattern)}`);
    return found;
  });
}
