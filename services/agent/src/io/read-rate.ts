import { dueAfter } from '../domain/pace.ts';

/** Largest piece of a file that is read at once, in bytes. */
const PIECE_BYTES = 1_048_576;
/** Pieces a second at a low rate, so that a read never waits long for the pieces of others. */
const PIECES_PER_SECOND = 4;
const US_PER_MS = 1_000;
const NS_PER_US = 1_000n;

/** A limit of the bytes a second that all reads together may take; threads share it by its buffer. */
export class ReadRate {
  /** Infinity without a limit. */
  readonly bytesPerSecond: number;
  readonly buffer: SharedArrayBuffer;
  /** Steady time of the next read, in microseconds. */
  readonly #dueUs: BigInt64Array;

  /** @param buffer of the same limit in another thread */
  constructor(bytesPerSecond = Infinity, buffer = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)) {
    this.bytesPerSecond = bytesPerSecond;
    this.buffer = buffer;
    this.#dueUs = new BigInt64Array(buffer);
  }

  get isLimited(): boolean {
    return this.bytesPerSecond !== Infinity;
  }

  /** Most bytes of one read. */
  get pieceBytes(): number {
    return Math.min(PIECE_BYTES, Math.ceil(this.bytesPerSecond / PIECES_PER_SECOND));
  }

  /** Takes the bytes of one read. @returns the ms to wait before it */
  take(bytes: number): number {
    if (!this.isLimited) return 0;
    for (;;) {
      const before = Atomics.load(this.#dueUs, 0);
      // All threads have this clock, which stands still during a suspend, as the reads do.
      const nowMs = Number(process.hrtime.bigint() / NS_PER_US) / US_PER_MS;
      const beforeMs = Number(before) / US_PER_MS;
      const after = BigInt(Math.ceil(dueAfter(beforeMs, nowMs, bytes, this.bytesPerSecond) * US_PER_MS));
      if (Atomics.compareExchange(this.#dueUs, 0, before, after) === before)
        return Math.max(0, beforeMs - nowMs);
    }
  }
}
