import Database from 'libsql';
import { CACHED_STATEMENTS } from './limits.ts';

/** libsql aborts the process on a boolean, so none can be bound. Integers that must stay integers are bigint. */
export type SqlValue = string | number | bigint | null | Uint8Array;
export type SqlRow = readonly unknown[];

export interface SqlStatement {
  /** Returns how many rows changed. */
  run(values: readonly SqlValue[]): number;
  all(values: readonly SqlValue[]): SqlRow[];
  first(values: readonly SqlValue[]): SqlRow | undefined;
  iterate(values: readonly SqlValue[]): Iterable<SqlRow>;
  /** After an `iterate` that was left early, and after an EXPLAIN. Takes the values only for their number. */
  reset(values: readonly SqlValue[]): void;
}

/** How long a statement waits for another connection of the same process. */
const BUSY_TIMEOUT_MS = 10_000;

export interface SqliteOptions {
  readonly cacheBytes: number;
  /** The log grows to about this size before it is copied into the main file. */
  readonly checkpointBytes?: number;
}

const PAGE_BYTES = 4_096;
const DEFAULT_CHECKPOINT_BYTES = 16 * 1_048_576;

/**
 * One connection in WAL mode with an fsync a commit.
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

  /** Prepared once; the least recently used one goes when there are too many. */
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

  /** Runs `work` in one transaction; whatever it throws undoes all of it. */
  transaction<T>(work: () => T): T {
    this.statement('BEGIN IMMEDIATE').run([]);
    try {
      const result = work();
      this.statement('COMMIT').run([]);
      return result;
    } catch (error) {
      // SQLite has already rolled back by itself after a full disk.
      if (this.inTransaction) this.statement('ROLLBACK').run([]);
      throw error;
    }
  }

  /** At most this many bytes for the main file; never below what it has. */
  limitBytes(bytes: number): void {
    this.pragma(`max_page_count=${Math.max(1, Math.floor(bytes / PAGE_BYTES))}`);
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }
}

/**
 * libsql resets a statement by itself after `run`, `get` and a complete read. One that was left in the middle, and an
 * EXPLAIN always, keeps its read snapshot and so stops every checkpoint; `get` resets it, with nulls at no cost.
 */
function wrap(prepared: Database.Statement): SqlStatement {
  // Returns arrays in place of objects; only statements with result columns take it.
  if (prepared.reader) prepared.raw();
  return {
    run: (values) => prepared.run(values).changes,
    all: (values) => prepared.all(values) as SqlRow[],
    first: (values) => prepared.get(values) as SqlRow | undefined,
    iterate: (values) => prepared.iterate(values) as Iterable<SqlRow>,
    reset: (values) => void prepared.get(values.map(() => null)),
  };
}
