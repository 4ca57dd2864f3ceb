import type { Sqlite } from '../sqlite.ts';
import { waitingOf } from './batched-index.ts';

/** Above every key of a row. */
export const AFTER_ALL = 2n ** 63n - 1n;

export const heldOf = (table: string): string => `temp.${table}_held`;

/**
 * Holds the waiting entries of batched indexes sorted in memory, for one reading thread, and brings them up to date
 * before a read.
 * @boundedBy the waiting entries: DOCUMENT_STORE_LIMITS.waitingEntries, and those of the five writes that enter them
 */
export class WaitingEntries {
  readonly #sqlite: Sqlite;
  /** By table: keys of the first and of the last entry that is held. */
  readonly #held = new Map<string, { readonly first: bigint; readonly last: bigint }>();

  constructor(sqlite: Sqlite) {
    this.#sqlite = sqlite;
  }

  /**
   * Runs reads of one snapshot. `first` is the key of the first waiting entry: it and later ones are in `heldOf(table)`,
   * earlier ones in the sorted table.
   */
  read<T>(table: string, work: (first: bigint) => T): T {
    if (!this.#held.has(table)) this.#make(table);
    try {
      return this.#sqlite.snapshot(() => work(this.#refresh(table)));
    } catch (error) {
      // The changes were rolled back: the next read takes all entries again.
      this.#held.delete(table);
      throw error;
    }
  }

  #make(table: string): void {
    const columns = 'g0, g1, k INTEGER, PRIMARY KEY (g0, g1, k)';
    // A read that failed may have left one, of a table that had the same name.
    this.#sqlite.exec(`DROP TABLE IF EXISTS ${heldOf(table)}`);
    this.#sqlite.exec(`CREATE TEMP TABLE ${table}_held (${columns}) WITHOUT ROWID`);
  }

  /** Forgets the entries of tables that are gone. */
  keep(tables: readonly string[]): void {
    for (const table of this.#held.keys()) {
      if (tables.includes(table)) continue;
      this.#sqlite.exec(`DROP TABLE ${heldOf(table)}`);
      this.#held.delete(table);
    }
  }

  #refresh(table: string): bigint {
    const waiting = waitingOf(table);
    const held = this.#held.get(table) ?? { first: 0n, last: -1n };
    const [min, max] = this.#sqlite
      .statement(`SELECT (SELECT min(k) FROM ${waiting}), (SELECT max(k) FROM ${waiting})`)
      .first([]) as [number | null, number | null];
    const first = min === null ? AFTER_ALL : BigInt(min);
    if (first > held.first) this.#sqlite.statement(`DELETE FROM ${heldOf(table)} WHERE k < ?`).run([first]);
    if (max !== null && BigInt(max) > held.last) {
      const take = `INSERT INTO ${heldOf(table)} SELECT g0, g1, k FROM ${waiting} WHERE k > ?`;
      this.#sqlite.statement(take).run([held.last]);
    }
    const last = max === null ? held.last : BigInt(max);
    this.#held.set(table, { first: min === null ? held.last + 1n : first, last });
    return first;
  }
}
