import type { IndexSpec, Query, Scalar } from '../../ports/document-store.ts';
import { isScalar } from '../../ports/document-checks.ts';
import { isFull } from '../sqlite-errors.ts';
import type { Sqlite, SqlValue } from '../sqlite.ts';
import { encodeScalar } from './encode.ts';
import type { CollectionLayout } from './store-protocol.ts';

/**
 * An index of two fields whose new entries wait in a table in order of arrival, and are entered into the sorted table many
 * at a time, as PostgreSQL does it with the pending list of a GIN index ("GIN Fast Update Technique"). Files report in
 * turns, so each new link would change another page of a common index, 4 KiB of the write-ahead log for each; entries that
 * are entered together share the pages of their file (docs/decisions/074).
 *
 * Entries from the first one that waits are read from the table of waiting entries, those before it from the sorted
 * table, so a batch that is half entered is not seen twice.
 */
export const waitingOf = (table: string): string => `${table}_waiting`;
export const sortedOf = (table: string): string => `${table}_sorted`;

/** Names of the tables, of which the first part is the table of documents. */
export const BATCHED_TABLE = /^(c\d+)_(waiting|sorted)$/;

/** Parts of a batch. One is entered after each write, so that no write waits for a whole batch. */
const PARTS = 5;

export function makeBatchedTables(sqlite: Sqlite, table: string): void {
  sqlite.exec(`CREATE TABLE ${waitingOf(table)} (k INTEGER PRIMARY KEY, g0 NOT NULL, g1 NOT NULL)`);
  sqlite.exec(`CREATE TABLE ${sortedOf(table)} (g0, g1, k INTEGER, PRIMARY KEY (g0, g1, k)) WITHOUT ROWID`);
}

/** Returns the statement that adds the last inserted row to the waiting entries. */
export function waitSql(table: string): string {
  return `INSERT INTO ${waitingOf(table)} VALUES (last_insert_rowid(), ?, ?)`;
}

/** Returns a key of the index; the first field is compared for equality only. */
export function encodeKey(value: Scalar, field: number): SqlValue {
  return encodeScalar(value, field === 0);
}

/** Returns all indexes of a collection. */
export function indexesOf({ indexes, batched }: CollectionLayout): readonly IndexSpec[] {
  return batched === undefined ? indexes : [...indexes, batched];
}

/** Returns whether the index serves the conditions: they fix its first field. */
export function isServed({ batched }: CollectionLayout, where: Query['where']): boolean {
  const first = batched === undefined ? undefined : where?.[batched.fields[0]!];
  return first !== undefined && first !== null && isScalar(first);
}

/** Returns the layout for conditions on the tables of the index, joined with the documents. */
export function keyLayout(layout: CollectionLayout): CollectionLayout {
  const [first, second] = layout.batched!.fields;
  const columns = [
    { field: first!, column: 'g0', narrow: true },
    { field: second!, column: 'g1', narrow: false },
  ];
  return { ...layout, columns };
}

interface Batch {
  readonly table: string;
  /** Rows of the batch. */
  readonly rows: number;
  /** Rows that have been entered. */
  entered: number;
}

/** Enters waiting entries into the sorted tables, on the writing thread. */
export class BatchedEntries {
  readonly #sqlite: Sqlite;
  readonly #waitingEntries: number;
  #batch: Batch | undefined;

  constructor(sqlite: Sqlite, waitingEntries: number) {
    this.#sqlite = sqlite;
    this.#waitingEntries = waitingEntries;
  }

  /**
   * Ends the present batch, because its table may be gone and another one may have its name. What was entered of it is
   * entered again.
   */
  startOver(): void {
    this.#batch = undefined;
  }

  /** Enters a part of a batch if enough entries wait, in a transaction of its own. A full disk leaves them waiting. */
  enterSome(layouts: Iterable<CollectionLayout>): void {
    try {
      this.#batch ??= this.#begin(layouts);
      if (this.#batch !== undefined) this.#enterPart(this.#batch);
    } catch (error) {
      this.#batch = undefined;
      if (!isFull(error)) throw error;
    }
  }

  #begin(layouts: Iterable<CollectionLayout>): Batch | undefined {
    for (const { table, batched } of layouts)
      if (batched !== undefined && this.#waiting(table) >= this.#waitingEntries) return this.#sorted(table);
    return undefined;
  }

  #sorted(table: string): Batch {
    this.#sqlite.exec('CREATE TEMP TABLE IF NOT EXISTS batch (n INTEGER PRIMARY KEY, g0, g1, k INTEGER)');
    this.#sqlite.statement('DELETE FROM temp.batch').run([]);
    const sort = `INSERT INTO temp.batch (g0, g1, k) SELECT g0, g1, k FROM ${waitingOf(table)} ORDER BY g0, g1, k`;
    return { table, rows: this.#sqlite.statement(sort).run([]), entered: 0 };
  }

  /** Returns the number of waiting entries, whose keys follow each other. */
  #waiting(table: string): number {
    const waiting = waitingOf(table);
    const sql = `SELECT (SELECT max(k) FROM ${waiting}) - (SELECT min(k) FROM ${waiting}) + 1`;
    return Number(this.#sqlite.statement(sql).first([])![0] ?? 0);
  }

  #enterPart(batch: Batch): void {
    const { table, rows, entered } = batch;
    const upTo = Math.min(rows, entered + Math.ceil(rows / PARTS));
    this.#sqlite.transaction(() => {
      // Entries of a batch that was cut short are there already.
      const enter = `INSERT OR IGNORE INTO ${sortedOf(table)} SELECT g0, g1, k FROM temp.batch WHERE n > ? AND n <= ?`;
      this.#sqlite.statement(enter).run([BigInt(entered), BigInt(upTo)]);
      if (upTo === rows) this.#forget(table);
    });
    batch.entered = upTo;
    if (upTo === rows) this.#batch = undefined;
  }

  #forget(table: string): void {
    const sql = `DELETE FROM ${waitingOf(table)} WHERE k <= (SELECT max(k) FROM temp.batch)`;
    this.#sqlite.statement(sql).run([]);
  }
}
