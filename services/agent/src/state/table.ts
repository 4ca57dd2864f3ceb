import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';
import { isPart, type Change, type Part, type Row } from './store.ts';
import { CHANGED_SUM, sumOf, sumOfPlace, Writes } from './writes.ts';

const VERSION = 2;
/** The version in which a checksum did not have the part and the number of its row. */
const WITHOUT_PLACES = 1;
/** Size of the page cache, in KiB; rows are read on demand. */
const CACHE_KIB = 512;
const BUSY_MS = 5_000;

/** Schema; queries read texts as bytes, because libsql crashes the process at a text that is not UTF-8. */
const SCHEMA = `CREATE TABLE kept (
  owner TEXT NOT NULL, part TEXT NOT NULL, number INTEGER NOT NULL, sum INTEGER NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (owner, part, number)
) WITHOUT ROWID`;
const COLUMNS = 'CAST(part AS BLOB) AS p, number + 0 AS n, sum + 0 AS s, CAST(text AS BLOB) AS t';

/** The file is damaged and cannot be used. */
export class BrokenTableError extends Error {
  readonly code = 'STATE_BROKEN';
}

/** A later version of the agent wrote the file. */
export class LaterTableError extends BrokenTableError {}

/** Changes of one owner. */
export interface OwnedChanges {
  readonly owner: string;
  readonly changes: readonly Change[];
}

/** The only table of a state file, in WAL mode with one fsync per transaction (docs/decisions/044). */
export class Table {
  readonly #database: Database.Database;
  readonly #rows: Database.Statement;
  readonly #text: Database.Statement;
  readonly #writes: Writes;

  /** Opens an existing file. @throws BrokenTableError; Error of SQLite */
  constructor(path: string) {
    this.#database = new Database(path);
    try {
      this.#check();
      this.#rows = raw(this.#database, `SELECT ${COLUMNS} FROM kept WHERE owner = ? ORDER BY part, number`);
      this.#text = raw(
        this.#database,
        `SELECT ${COLUMNS} FROM kept WHERE owner = ? AND part = ? AND number = ?`,
      );
      this.#writes = new Writes(this.#database);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Creates a file with an empty table, whole or not at all. @throws Error of node:fs or SQLite */
  static create(path: string): void {
    const part = `${path}.part`;
    for (const old of [part, `${part}-journal`, `${path}-wal`, `${path}-shm`]) rmSync(old, { force: true });
    closeSync(openSync(part, 'wx', 0o600));
    const database = new Database(part);
    try {
      database.exec(`BEGIN; ${SCHEMA}; PRAGMA user_version = ${VERSION}; COMMIT`);
    } finally {
      database.close();
    }
    renameSync(part, path);
    syncFolder(dirname(path));
  }

  /** @throws BrokenTableError a damaged row has a part that nobody asks for: its own may be another one */
  rows(owner: string): Row[] {
    const rows = this.#rows.all(owner).flatMap((row) => rowOf(owner, row) ?? []);
    const lost = rows.find(({ part, isWhole }) => !isWhole && !isPart(part));
    if (lost !== undefined) throw new BrokenTableError('the key of a row is not whole');
    return rows;
  }

  /** @throws BrokenTableError a row of the owner is damaged, and was not when it was written */
  check(owner: string): void {
    const isDamaged = this.rows(owner).some(({ part, isWhole }) => !isWhole && part !== 'broken');
    if (isDamaged) throw new BrokenTableError('a row of a file that is not watched is not whole');
  }

  row(owner: string, part: Part, number: number): Row | undefined {
    const row = this.#text.get(owner, part, number);
    return row === undefined ? undefined : rowOf(owner, row);
  }

  owners(): string[] {
    const found = raw(this.#database, 'SELECT DISTINCT CAST(owner AS BLOB) FROM kept').all();
    return found.flatMap((row) => (Array.isArray(row) && Buffer.isBuffer(row[0]) ? row[0].toString() : []));
  }

  /** Makes all changes durable, or none. @throws Error of SQLite */
  apply(groups: readonly OwnedChanges[]): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const { owner, changes } of groups) for (const change of changes) this.#writes.run(owner, change);
      this.#database.exec('COMMIT');
    } catch (error) {
      // SQLite has already rolled back by itself after a full disk.
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    this.#database.close();
  }

  #check(): void {
    const first = (text: string): unknown => {
      const found: unknown = raw(this.#database, `PRAGMA ${text}`).get();
      return Array.isArray(found) ? found[0] : undefined;
    };
    first(`busy_timeout = ${BUSY_MS}`);
    const version = first('user_version');
    const isEarlier = version === WITHOUT_PLACES;
    if (Number(version) > VERSION)
      throw new LaterTableError(`form ${version}, and this version knows none above ${VERSION}`);
    if (!isEarlier && version !== VERSION) throw new BrokenTableError('it is no state of an agent');
    first('journal_mode = WAL');
    this.#database.exec(`PRAGMA synchronous = FULL; PRAGMA cache_size = -${CACHE_KIB}`);
    if (first('quick_check(1)') !== 'ok') throw new BrokenTableError('its pages are not whole');
    if (isEarlier) this.#addPlaces();
  }

  /** Adds part and number to the checksums of the version before, which stay wrong where they were. */
  #addPlaces(): void {
    const keys = 'SELECT CAST(owner AS BLOB), CAST(part AS BLOB), number + 0 FROM kept';
    const put = this.#database.prepare(
      `UPDATE kept SET sum = ${CHANGED_SUM} WHERE owner = ? AND part = ? AND number = ?`,
    );
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const key of raw(this.#database, keys).all()) {
        const [owner, part, number]: unknown[] = Array.isArray(key) ? key : [];
        if (!Buffer.isBuffer(owner) || !Buffer.isBuffer(part) || typeof number !== 'number') continue;
        put.run([sumOfPlace(part.toString(), number), owner.toString(), part.toString(), number]);
      }
      this.#database.exec(`PRAGMA user_version = ${VERSION}; COMMIT`);
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}

/** Prepares a statement that returns rows as arrays. */
const raw = (database: Database.Database, sql: string): Database.Statement => database.prepare(sql).raw();

/** Parses a row; undefined when the agent cannot have written it. */
function rowOf(owner: string, row: unknown): Row | undefined {
  if (!Array.isArray(row)) return undefined;
  const [part, number, sum, text]: unknown[] = row;
  if (!Buffer.isBuffer(part) || typeof number !== 'number' || !Buffer.isBuffer(text)) return undefined;
  const key = { owner, part: part.toString(), number };
  return { part: key.part, number, text: text.toString(), isWhole: sum === sumOf(key, text) };
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
