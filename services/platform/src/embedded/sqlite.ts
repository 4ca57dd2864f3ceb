import Database from 'libsql';
import { CACHED_STATEMENTS } from './limits.ts';
import { isFull } from './sqlite-errors.ts';

/** Values that can be bound. libsql aborts the process on a boolean. Integers that must stay integers are bigint. */
export type SqlValue = string | number | bigint | null | Uint8Array;
export type SqlRow = readonly unknown[];

export interface SqlStatement {
  /** Returns the number of changed rows. */
  run(values: readonly SqlValue[]): number;
  all(values: readonly SqlValue[]): SqlRow[];
  first(values: readonly SqlValue[]): SqlRow | undefined;
  iterate(values: readonly SqlValue[]): Iterable<SqlRow>;
  /**
   * Resets the statement after an `iterate` that ended early, and after an EXPLAIN. Only the number of values is
   * used.
   */
  reset(values: readonly SqlValue[]): void;
}

/** Wait of a statement for another connection of the same process, in milliseconds. */
const BUSY_TIMEOUT_MS = 10_000;

export interface SqliteOptions {
  readonly cacheBytes: number;
  /** Approximate size at which the write-ahead log is copied into the main file. */
  readonly checkpointBytes?: number;
}

const PAGE_BYTES = 4_096;
const DEFAULT_CHECKPOINT_BYTES = 16 * 1_048_576;

/**
 * One connection in WAL mode with an fsync for each commit.
 * @pool embedded-statements
 */
export class Sqlite {
  readonly #database: Database.Database;
  #statements = new Map<string, SqlStatement>();

  constructor(file: string, options: SqliteOptions) {
    this.#database = new Database(file);
    const checkpoint = Math.floor((options.checkpointBytes ?? DEFAULT_CHECKPOINT_BYTES) / PAGE_BYTES);
    this.pragma(`busy_timeout=${BUSY_TIMEOUT_MS}`);
    this.pragma('journal_mode=WAL');
    this.pragma('synchronous=FULL');
    this.pragma(`cache_size=-${Math.floor(options.cacheBytes / 1_024)}`);
    this.pragma(`wal_autocheckpoint=${checkpoint}`);
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  pragma(text: string): SqlRow[] {
    return wrap(this.#database.prepare(`PRAGMA ${text}`)).all([]);
  }

  /** Returns the prepared statement; the cache drops the least recently used statement when it is full. */
  statement(sql: string): SqlStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) {
      this.#statements.delete(sql);
      this.#statements.set(sql, known);
      return known;
    }
    const made = wrap(this.#database.prepare(sql));
    this.#statements.set(sql, made);
    if (this.#statements.size > CACHED_STATEMENTS) {
      for (const oldest of this.#statements.keys()) {
        this.#statements.delete(oldest);
        break;
      }
    }
    return made;
  }

  /** Runs `work` in one transaction; an error rolls all of it back. */
  transaction<T>(work: () => T): T {
    return this.#within('BEGIN IMMEDIATE', work);
  }

  /** Runs reads that see one state of the file, and changes of temporary tables, which an error rolls back. */
  snapshot<T>(work: () => T): T {
    return this.#within('BEGIN', work);
  }

  #within<T>(begin: string, work: () => T): T {
    this.statement(begin).run([]);
    try {
      const result = work();
      this.statement('COMMIT').run([]);
      return result;
    } catch (error) {
      // After a full disk SQLite has rolled back already.
      if (this.inTransaction) this.statement('ROLLBACK').run([]);
      throw error;
    }
  }

  /** Limits the main file to `bytes`, but never below its current size. */
  limitBytes(bytes: number): void {
    this.pragma(`max_page_count=${Math.max(1, Math.floor(bytes / PAGE_BYTES))}`);
  }

  /**
   * Copies the write-ahead log into the main file, and closes. On a full disk the copy is left to the next opening: what is
   * committed is durable in either file.
   */
  end(): void {
    try {
      this.pragma('wal_checkpoint(TRUNCATE)');
    } catch (error) {
      if (!isFull(error)) throw error;
    } finally {
      this.close();
    }
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }
}

/**
 * Wraps a statement of libsql, which resets it after `run`, `get` and a complete read. After an `iterate` that ended
 * early, and after every EXPLAIN, the statement keeps its read snapshot and so stops every checkpoint; `get` with nulls
 * resets it at no cost.
 */
function wrap(prepared: Database.Statement): SqlStatement {
  // `raw` returns arrays instead of objects; only statements with result columns accept it.
  if (prepared.reader) prepared.raw();
  return {
    run: (values) => prepared.run(values).changes,
    all: (values) => prepared.all(values) as SqlRow[],
    first: (values) => prepared.get(values) as SqlRow | undefined,
    iterate: (values) => prepared.iterate(values) as Iterable<SqlRow>,
    reset: (values) => void prepared.get(values.map(() => null)),
  };
}
