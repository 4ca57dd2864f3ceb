import type { Hash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { hashFile, type Hashed } from './hash-file.ts';
import { hashNow } from './hash-now.ts';
import type { HashPool } from './hash-pool.ts';

export interface ReadOptions {
  /** State after `length` bytes that need not be read again. */
  readonly resume: { readonly running: Hash; readonly length: number } | undefined;
  /** The state after all bytes is asked for: no thread can hand it over. */
  readonly keepsRunning: boolean;
  readonly about: Stats;
}

/** What was read, with the state after all bytes where one was asked for. */
export type Read = Omit<Hashed, 'running'> & { readonly running?: Hash };

/** Up to this size a message to a thread costs more than the reading, in bytes. */
const SMALL_BYTES = 65_536;
/** Of all files that are read at once: nothing else runs while one is. */
const smallPiece = Buffer.allocUnsafeSlow(SMALL_BYTES);
/** A file that changes while it is read is read so often before what was read has to do. */
const READ_TRIES = 3;

/**
 * Reads one file where that costs least: small ones at once, the others in a thread. Files of a network file system, which
 * can hang, and those whose running hash is kept, are read by the event loop's own threads, so that they hold up no others.
 */
export class FileReader {
  readonly #pool: Pick<HashPool, 'hash' | 'isPaced'>;
  readonly #folder: { readonly isLocal: boolean };

  /** @param folder whether its file system answers at once */
  constructor(pool: Pick<HashPool, 'hash' | 'isPaced'>, folder: { readonly isLocal: boolean }) {
    this.#pool = pool;
    this.#folder = folder;
  }

  /** Whether the file system answers at once. */
  get isLocal(): boolean {
    return this.#folder.isLocal;
  }

  /** The hash of the whole and of its first `prefixLength` bytes. @throws NotRegularError; Error of node:fs */
  async read(path: string, prefixLength: number | null, options: ReadOptions): Promise<Read> {
    for (let tries = 1; ; tries += 1) {
      const read = await this.#read(path, prefixLength, options);
      if (!read.torn || tries >= READ_TRIES) return read;
    }
  }

  async #read(path: string, prefixLength: number | null, options: ReadOptions): Promise<Read> {
    const { resume, keepsRunning, about } = options;
    if (resume !== undefined || keepsRunning || !this.isLocal) {
      const { running, ...read } = await hashFile(path, prefixLength, resume);
      return keepsRunning ? { ...read, running } : read;
    }
    if (about.size <= SMALL_BYTES && !this.#pool.isPaced) return hashNow(path, prefixLength, smallPiece);
    return await this.#pool.hash(path, prefixLength, about.size);
  }
}
