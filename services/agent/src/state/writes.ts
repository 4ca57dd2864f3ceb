import { crc32 } from 'node:zlib';
import type Database from 'libsql';
import type { Change } from './store.ts';

/** A checksum that no text has. */
const BROKEN_SUM = -1;

/** The key of a row. */
export interface RowKey {
  readonly owner: string;
  readonly part: string;
  readonly number: number;
}

/**
 * Returns a checksum of a row with its key, against changed bits on the disk, not against an attacker who can write
 * there.
 */
export const sumOf = ({ owner, part, number }: RowKey, text: string | Uint8Array): number =>
  both(crc32(text, crc32(owner)), sumOfPlace(part, number));

/** Returns the share of part and number in a checksum: `both` of it and a sum without them is the sum with them. */
export const sumOfPlace = (part: string, number: number): number =>
  both(sumOfPart(part), sumOfNumber(number));

const sumOfPart = (part: string): number => crc32(part);
const sumOfNumber = (number: number): number => crc32(`${number}`);
const both = (a: number, b: number): number => (a ^ b) >>> 0;

/** SQL of a checksum whose share of the key changes by the parameter: exclusive or, which SQLite has no sign for. */
export const CHANGED_SUM = '(sum | ?1) - (sum & ?1)';

/** Runs the changes of `store.ts` with statements prepared once. Values are given as one list: libsql makes two copies of several arguments. */
export class Writes {
  readonly #put: Database.Statement;
  readonly #move: Database.Statement;
  readonly #moveAll: Database.Statement;
  readonly #removeBelow: Database.Statement;
  readonly #keepNewest: Database.Statement;
  readonly #removeAll: Database.Statement;

  constructor(database: Database.Database) {
    const ofPart = 'WHERE owner = ? AND part = ?';
    this.#put = database.prepare('INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?, ?)');
    this.#move = database.prepare(
      `UPDATE OR REPLACE kept SET sum = ${CHANGED_SUM}, part = ?, number = ? ${ofPart} AND number = ?`,
    );
    this.#moveAll = database.prepare(`UPDATE OR REPLACE kept SET sum = ${CHANGED_SUM}, part = ? ${ofPart}`);
    this.#removeBelow = database.prepare(`DELETE FROM kept ${ofPart} AND number < ?`);
    this.#keepNewest = database.prepare(
      `DELETE FROM kept ${ofPart} AND number NOT IN (SELECT number FROM kept ${ofPart} ORDER BY number DESC LIMIT ?)`,
    );
    this.#removeAll = database.prepare('DELETE FROM kept WHERE owner = ?');
  }

  /** Runs one change. @throws Error of SQLite */
  run(owner: string, change: Change): void {
    switch (change.do) {
      case 'put':
        this.#put.run([
          owner,
          change.part,
          change.number,
          sumOf({ owner, part: change.part, number: change.number }, change.text),
          change.text,
        ]);
        return;
      case 'putBroken':
        this.#put.run([owner, change.part, change.number, BROKEN_SUM, change.text]);
        return;
      case 'move':
        this.#move.run([
          both(sumOfPlace(change.from, change.fromNumber), sumOfPlace(change.to, change.toNumber)),
          ...[change.to, change.toNumber, owner, change.from, change.fromNumber],
        ]);
        return;
      case 'moveAll':
        this.#moveAll.run([
          both(sumOfPart(change.from), sumOfPart(change.to)),
          change.to,
          owner,
          change.from,
        ]);
        return;
      case 'removeBelow':
        this.#removeBelow.run([owner, change.part, change.number]);
        return;
      case 'keepNewest':
        this.#keepNewest.run([owner, change.part, owner, change.part, change.count]);
        return;
      case 'removeAll':
        this.#removeAll.run([owner]);
        return;
    }
  }
}
