import type { Hash } from 'node:crypto';
import type { Stats } from 'node:fs';
import type { Version } from '@sentinel-node/contracts';
import { hashArchive, hashRaw, type ArchiveFile, type HashedArchive } from './archives.ts';
import { hashFile, type Hashed } from './hash-file.ts';
import { hashNow, type HashedNow } from './hash-now.ts';
import type { HashPool } from './hash-pool.ts';
import { openedStats } from './kind.ts';

export interface ReadOptions {
  /** Hash state after `length` bytes, which are not read again. */
  readonly resume: { readonly running: Hash; readonly length: number } | undefined;
  /** Whether the hash state after all bytes is needed, which a thread cannot transfer. */
  readonly keepsRunning: boolean;
  readonly about: Stats;
  /** Whether the path leads through a link, into a file system that may not answer. */
  readonly isLinked: boolean;
}

type PoolOfReader = Pick<HashPool, 'hash' | 'isPaced' | 'reads'>;

/** Where the file is, and who looks at it. */
export interface ReaderPlace {
  /** Whether the file system is local and answers without delay. */
  readonly isLocal: boolean;
  /** Runs a part of the look in which nothing is open, so that it holds up no other look; absent when nothing else is looked at. */
  outside?<T>(act: () => Promise<T>): Promise<T>;
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
 * system, which can hang, those behind a link, files with a running hash, and archives are read by libuv's threads, so that they delay
 * no other file. A long read holds no place among the looks.
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

  /** As `openedStats`. */
  openedStats(path: string): Promise<Stats> {
    return openedStats(path);
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

  /** Hashes a small local file at once. @returns undefined when it cannot be, and only `read` tells why */
  readNow(path: string, size: number): HashedNow | undefined {
    if (!this.#isReadAtOnce(size) || !this.isLocal) return undefined;
    try {
      return hashNow(path, null, smallPiece, { mayFollow: false });
    } catch {
      return undefined;
    }
  }

  /** Hashes an archive's decompressed content and its first `prefixLength` bytes. @throws as `hashArchive` */
  archive(archive: ArchiveFile, prefixLength: number): Promise<HashedArchive> {
    const options = { reads: this.#pool.reads, isLocal: this.isLocal };
    return this.#outside(archive.size, this.isLocal, () => hashArchive(archive.path, prefixLength, options));
  }

  /** Hashes the raw bytes of an archive. @throws as `hashRaw` */
  rawArchive(archive: ArchiveFile): Promise<Version> {
    const options = { reads: this.#pool.reads, isLocal: this.isLocal };
    return this.#outside(archive.size, this.isLocal, () => hashRaw(archive.path, options));
  }

  async #read(path: string, prefixLength: number | null, options: ReadOptions): Promise<Read> {
    const { resume, keepsRunning, about, isLinked } = options;
    const { reads } = this.#pool;
    const isLocal = this.isLocal && !isLinked;
    const { size } = about;
    if (resume !== undefined || keepsRunning || !isLocal) {
      const rest = size - (resume?.length ?? 0);
      const hash = () => hashFile(path, prefixLength, { reads, isLocal, resume });
      const { running, ...read } = await this.#outside(rest, isLocal, hash);
      return keepsRunning ? { ...read, running } : read;
    }
    if (this.#isReadAtOnce(size)) return hashNow(path, prefixLength, smallPiece);
    const hash = () => this.#pool.hash(path, prefixLength, size);
    // The pool has a bound of its own.
    return await (reads.isLong(size) && this.#place.outside !== undefined
      ? this.#place.outside(hash)
      : hash());
  }

  /** Whether a local file of this size, in bytes, is read synchronously. */
  #isReadAtOnce(size: number): boolean {
    return size <= SMALL_BYTES && !this.#pool.isPaced;
  }

  /** Runs a long read outside of the limit of looks, with the limit of long ones. */
  #outside<T>(bytes: number, isLocal: boolean, read: () => Promise<T>): Promise<T> {
    const { reads } = this.#pool;
    const place = this.#place;
    return place.outside !== undefined && reads.isLong(bytes)
      ? place.outside(() => reads.long(bytes, isLocal, read))
      : read();
  }
}
