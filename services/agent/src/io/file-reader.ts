import type { Hash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { hashFile, type Hashed } from './hash-file.ts';
import { hashNow } from './hash-now.ts';
import { LARGE_BYTES, type HashPool } from './hash-pool.ts';

export interface ReadOptions {
  /** Hash state after `length` bytes, which are not read again. */
  readonly resume: { readonly running: Hash; readonly length: number } | undefined;
  /** Whether the hash state after all bytes is needed, which a thread cannot transfer. */
  readonly keepsRunning: boolean;
  readonly about: Stats;
  /** Whether the path leads through a link, into a file system that may not answer. */
  readonly isLinked: boolean;
}

type PoolOfReader = Pick<HashPool, 'hash' | 'isPaced'> & Partial<Pick<HashPool, 'isClosed'>>;

/** Where the file is, and who looks at it. */
export interface ReaderPlace {
  /** Whether the file system is local and answers without delay. */
  readonly isLocal: boolean;
  /** Runs a part of the look in which nothing is open, so that it holds up no other look; absent when nothing else is looked at. */
  readonly outside?: <T>(act: () => Promise<T>) => Promise<T>;
}

/** Hashes of the read bytes, with the hash state after all bytes if requested. */
export type Read = Omit<Hashed, 'running'> & { readonly running?: Hash };

/** Largest size at which a message to a thread costs more than reading, in bytes. */
const SMALL_BYTES = 65_536;
/** Buffer for all small files: their reads are synchronous, so that one buffer is enough. */
const smallPiece = Buffer.allocUnsafeSlow(SMALL_BYTES);
/** Reads of a file that changes during each read, before the last result is used. */
const READ_TRIES = 3;

/**
 * Reads one file in the cheapest way: small files synchronously, larger ones in a pool thread. Files of a network file
 * system, which can hang, those behind a link, and files with a running hash are read by libuv's threads, so that they delay no other file.
 */
export class FileReader {
  readonly #pool: PoolOfReader;
  readonly #place: ReaderPlace;

  constructor(pool: PoolOfReader, place: ReaderPlace) {
    this.#pool = pool;
    this.#place = place;
  }

  /** As in `ReaderPlace`. */
  get isLocal(): boolean {
    return this.#place.isLocal;
  }

  /**
   * Hashes the whole file and its first `prefixLength` bytes.
   * @throws NotRegularError; PoolClosedError; Error of node:fs
   */
  async read(path: string, prefixLength: number | null, options: ReadOptions): Promise<Read> {
    for (let tries = 1; ; tries += 1) {
      const read = await this.#read(path, prefixLength, options);
      if (!read.torn || tries >= READ_TRIES) return read;
    }
  }

  async #read(path: string, prefixLength: number | null, options: ReadOptions): Promise<Read> {
    const { resume, keepsRunning, about, isLinked } = options;
    if (resume !== undefined || keepsRunning || isLinked || !this.isLocal) {
      const { running, ...read } = await hashFile(
        path,
        prefixLength,
        resume,
        () => this.#pool.isClosed === true,
      );
      return keepsRunning ? { ...read, running } : read;
    }
    const { size } = about;
    if (size <= SMALL_BYTES && !this.#pool.isPaced) return hashNow(path, prefixLength, smallPiece);
    const hash = () => this.#pool.hash(path, prefixLength, size);
    // The pool reads one large file at a time: the others wait, for minutes at a limited rate.
    return await (size > LARGE_BYTES && this.#place.outside !== undefined
      ? this.#place.outside(hash)
      : hash());
  }
}
