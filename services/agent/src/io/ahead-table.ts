import type { Version } from '@sentinel-node/contracts';
import { isSame, type Stamp } from './stamp.ts';

/** States of a file in the table. */
const WAITING = 0;
const CLAIMED = 1;
const READ = 2;
/** The thread could not read the file, or the look no longer needs the thread. */
const LEFT = 3;

const NUMBERS = 5;
const HASH_BYTES = 32;
const FILE_BYTES = Int32Array.BYTES_PER_ELEMENT + NUMBERS * Float64Array.BYTES_PER_ELEMENT + HASH_BYTES;

/**
 * Hashes of files that threads read before their first look, in memory that the threads share: messages of as many
 * files would cost the agent half of what the threads save.
 */
export class AheadTable {
  readonly buffer: SharedArrayBuffer;
  /** The next file to claim. */
  readonly #next: Int32Array;
  readonly #stats: Float64Array;
  readonly #hashes: Buffer;
  readonly #states: Int32Array;

  /** @param buffer a new one of `bytesFor`, or the `buffer` of the same table in another thread */
  constructor(buffer: SharedArrayBuffer, files: number) {
    this.buffer = buffer;
    // Numbers of eight bytes first, because their place must be a multiple of eight.
    const hashesAt = (1 + NUMBERS * files) * Float64Array.BYTES_PER_ELEMENT;
    const statesAt = hashesAt + HASH_BYTES * files;
    this.#next = new Int32Array(buffer, 0, 1);
    this.#stats = new Float64Array(buffer, Float64Array.BYTES_PER_ELEMENT, NUMBERS * files);
    this.#hashes = Buffer.from(buffer, hashesAt, HASH_BYTES * files);
    this.#states = new Int32Array(buffer, statesAt, files);
  }

  /** Returns the size of the buffer, in bytes. */
  static bytesFor(files: number): number {
    return Float64Array.BYTES_PER_ELEMENT + files * FILE_BYTES;
  }

  /** Claims the next file that nobody has read. @returns its index; undefined when there is none */
  claim(): number | undefined {
    for (;;) {
      const index = Atomics.add(this.#next, 0, 1);
      if (index >= this.#states.length) return undefined;
      if (Atomics.compareExchange(this.#states, index, WAITING, CLAIMED) === WAITING) return index;
    }
  }

  /** Leaves a claimed file to its look. */
  leave(index: number): void {
    Atomics.store(this.#states, index, LEFT);
  }

  /** Records a claimed file's hash. @param hash SHA-256 in hex of the bytes that the file had with these stats */
  put(index: number, about: Stamp, hash: string): void {
    const { dev, ino, size, mtimeMs, ctimeMs } = about;
    this.#stats.set([dev, ino, size, mtimeMs, ctimeMs], index * NUMBERS);
    this.#hashes.write(hash, index * HASH_BYTES, 'hex');
    Atomics.store(this.#states, index, READ);
  }

  /**
   * Returns a file's version, once.
   * @param about stats of the file now @returns undefined when no thread has read the file, or not with these stats
   */
  take(index: number, about: Stamp): Version | undefined {
    if (Atomics.exchange(this.#states, index, LEFT) !== READ) return undefined;
    if (!isSame(about, this.#stampOf(index))) return undefined;
    const from = index * HASH_BYTES;
    return { length: about.size, hash: this.#hashes.toString('hex', from, from + HASH_BYTES) };
  }

  #stampOf(index: number): Stamp {
    const stats = this.#stats;
    const at = index * NUMBERS;
    return {
      dev: stats[at]!,
      ino: stats[at + 1]!,
      size: stats[at + 2]!,
      mtimeMs: stats[at + 3]!,
      ctimeMs: stats[at + 4]!,
    };
  }
}
