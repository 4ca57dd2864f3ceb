import { closeSync, fsyncSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '@sentinel-node/contracts/thrown';

/** A time in which the state could not be written. */
export interface StateFailure {
  /** Time of the first failure, ISO 8601 by the machine's clock; undefined when the mark is damaged. */
  readonly since: string | undefined;
  /** Code of the first failure: ENOSPC, EIO, …. */
  readonly code: string;
}

const MARK_FILE = 'failure';
const MARK_BYTES = 512;
/** Longest code, in characters: the mark stays below `MARK_BYTES`. */
const CODE_CHARACTERS = 64;
const BLANK = Buffer.alloc(MARK_BYTES, ' ');

/**
 * Remembers over a restart that the state could not be written. The mark is a file whose space is taken while there is
 * room and which is overwritten in place, so that a full disk can be remembered on that disk. A disk that takes no write at
 * all (EROFS, EIO) leaves no mark.
 */
export class FailureMark {
  readonly #path: string;
  readonly #folder: string;
  #handle: number | undefined;
  #isSet = false;

  constructor(folder: string) {
    this.#folder = folder;
    this.#path = join(folder, MARK_FILE);
  }

  /** Opens the mark, and takes its space if that is not done. @returns the failure at the end of the last run */
  open(): StateFailure | undefined {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      this.#handle = openedOrMade(this.#path);
      const found = Buffer.alloc(MARK_BYTES);
      const text = found.toString('utf8', 0, readSync(this.#handle, found, 0, MARK_BYTES, 0));
      const left = failureIn(text);
      this.#isSet = left !== undefined;
      // A mark that a full disk cut off has no space of its own yet.
      if (left === undefined) write(this.#handle, BLANK);
      return left;
    } catch {
      this.close();
      return undefined;
    }
  }

  /** False when the mark could not be opened, or has no space of its own. */
  get isOpen(): boolean {
    return this.#handle !== undefined;
  }

  /** Remembers that a write failed; keeps the first failure. */
  set(error: unknown, nowMs: number): void {
    if (this.#isSet || this.#handle === undefined) return;
    const code = (codeOf(error) ?? 'error').slice(0, CODE_CHARACTERS);
    const text = JSON.stringify({ since: new Date(nowMs).toISOString(), code } satisfies StateFailure);
    const mark = Buffer.from(BLANK);
    mark.write(text);
    this.#isSet = this.#tries(mark);
  }

  /** Forgets the failure after a write that is durable. */
  clear(): void {
    if (this.#isSet) this.#isSet = !this.#tries(BLANK);
  }

  close(): void {
    if (this.#handle !== undefined) closeSync(this.#handle);
    this.#handle = undefined;
  }

  #tries(mark: Buffer): boolean {
    try {
      if (this.#handle !== undefined) write(this.#handle, mark);
      return true;
    } catch {
      return false; // the next call tries again
    }
  }
}

/** Overwrites the mark in place. @throws Error of node:fs */
function write(handle: number, mark: Buffer): void {
  writeSync(handle, mark, 0, MARK_BYTES, 0);
  fsyncSync(handle);
}

/** Returns a descriptor for reading and writing. @throws Error of node:fs */
function openedOrMade(path: string): number {
  try {
    return openSync(path, 'r+');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return openSync(path, 'wx+', 0o600);
  }
}

/** Returns the failure in a mark; undefined for an empty mark. */
function failureIn(text: string): StateFailure | undefined {
  if (/^[\s\0]*$/.test(text)) return undefined;
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found === 'object' && found !== null && 'since' in found && 'code' in found)
      return { since: String(found.since), code: String(found.code) };
  } catch {
    // a mark of which only a part was written
  }
  return { since: undefined, code: 'unknown' };
}
