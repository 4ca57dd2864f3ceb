import { crc32 } from 'node:zlib';
import type Database from 'libsql';
import type { Change } from './store.ts';

/** A checksum that no text has. */
const BROKEN_SUM = -1;

/**
 * Returns a checksum of owner and text, against changed bits on the disk, not against an attacker who can write
 * there.
 */
export const sumOf = (owner: string, text: string | Uint8Array): number => crc32(text, crc32(owner));

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
    this.#move = database.prepare(`UPDATE OR REPLACE kept SET part = ?, number = ? ${ofPart} AND number = ?`);
    this.#moveAll = database.prepare(`UPDATE OR REPLACE kept SET part = ? ${ofPart}`);
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
        this.#put.run([owner, change.part, change.number, sumOf(owner, change.text), change.text]);
        return;
      case 'putBroken':
        this.#put.run([owner, change.part, change.number, BROKEN_SUM, change.text]);
        return;
      case 'move':
        this.#move.run([change.to, change.toNumber, owner, change.from, change.fromNumber]);
        return;
      case 'moveAll':
        this.#moveAll.run([change.to, owner, change.from]);
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
