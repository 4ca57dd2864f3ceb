import type { FileHandle } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { Gate } from '../gate.ts';
import type { ReadRate } from './read-rate.ts';

/** The agent stops before the file was read; the error says nothing about the file. */
export class PoolClosedError extends Error {
  readonly code = 'POOL_CLOSED';
  constructor() {
    super('the agent stops');
  }
}

export interface PieceReadsOptions {
  readonly rate: ReadRate;
  readonly isStopped: () => boolean;
}

/** Part of an open file. */
interface Part {
  readonly handle: FileHandle;
  readonly from: number;
  readonly to: number;
  /** Whether the file system is local and answers without delay. */
  readonly isLocal: boolean;
}

interface Places {
  readonly pieces: Gate;
  readonly long: Gate;
  readonly decompressors: { readonly short: Gate; readonly long: Gate };
}

/** Size of a read above which it is long, in bytes; at a limited rate also what takes longer than a second. */
export const LARGE_BYTES = 64 * 1_048_576;
/** Most long reads that have their file open, of local files, and of others. */
const LONG_READS = 256;
/**
 * Most archives that are decompressed at once, each by a process of its own or in libuv's threads: of local short ones, of local long ones,
 * and the same of others. The long ones must not hold up the short ones, nor those that hang the local ones.
 */
const DECOMPRESSORS = 16;
/** Most pieces of local files that are read at once: one is read while another is hashed. */
const LOCAL_PIECES = 2;
/** As many calls as libuv's threads take at once: further ones would wait there, with their pieces in memory. */
const REMOTE_PIECES = Number(process.env['UV_THREADPOOL_SIZE']) || 4;

/**
 * Reads files piece by piece in libuv's threads. After each piece a read gives its place to the one that has the least left, so
 * that no read waits for the end of a longer one.
 */
export class PieceReads {
  readonly #rate: ReadRate;
  readonly #isStopped: () => boolean;
  /** The read that waits for the rate. One at a time: its turn is given as late as possible. */
  readonly #turn = new Gate(1);
  readonly #local = placesOf(LOCAL_PIECES);
  readonly #remote = placesOf(REMOTE_PIECES);
  /** Whole pieces that no local read uses now. @boundedBy LOCAL_PIECES */
  readonly #free: Buffer[] = [];

  constructor({ rate, isStopped }: PieceReadsOptions) {
    this.#rate = rate;
    this.#isStopped = isStopped;
  }

  /** Whether a read of so many bytes takes so long that it must hold no place among the looks. */
  isLong(bytes: number): boolean {
    return bytes > Math.min(LARGE_BYTES, Math.max(this.#rate.pieceBytes, this.#rate.bytesPerSecond));
  }

  /** Runs a long read when few enough others have their files open, the shortest first. */
  long<T>(bytes: number, isLocal: boolean, read: () => Promise<T>): Promise<T> {
    return this.#of(isLocal).long.run(read, bytes);
  }

  /** Runs the decompression of an archive of so many bytes when few enough others run, the shortest first. */
  decompress<T>(bytes: number, isLocal: boolean, act: () => Promise<T>): Promise<T> {
    const { short, long } = this.#of(isLocal).decompressors;
    return (this.isLong(bytes) ? long : short).run(act, bytes);
  }

  /**
   * Gives each piece to `use`, which must not keep it.
   * @returns the end: lower than `to` when the file shrank @throws PoolClosedError; Error of node:fs
   */
  async feed(part: Part, use: (piece: Buffer) => void): Promise<number> {
    let position = part.from;
    while (position < part.to) {
      const read = await this.#piece({ ...part, from: position }, use);
      if (read === 0) break;
      position += read;
    }
    return position;
  }

  /** Returns copies of the pieces, each read when it is asked for. @throws as `feed` */
  async *pieces(part: Part): AsyncGenerator<Buffer, void> {
    for (let position = part.from; position < part.to;) {
      let copy: Buffer | undefined;
      await this.#piece({ ...part, from: position }, (piece) => (copy = Buffer.from(piece)));
      if (copy === undefined) return;
      position += copy.length;
      yield copy;
    }
  }

  /** Reads one piece. @returns its bytes; 0 at the end of the file, without a call of `use` */
  async #piece({ handle, from, to, isLocal }: Part, use: (piece: Buffer) => void): Promise<number> {
    const rest = to - from;
    const bytes = Math.min(rest, this.#rate.pieceBytes);
    if (this.#rate.isLimited) await this.#turn.run(() => this.#wait(bytes), rest);
    return await this.#of(isLocal).pieces.run(async () => {
      this.#check();
      const isWhole = isLocal && bytes === this.#rate.pieceBytes;
      const buffer = (isWhole ? this.#free.pop() : undefined) ?? Buffer.allocUnsafeSlow(bytes);
      try {
        const { bytesRead } = await handle.read(buffer, 0, bytes, from);
        if (bytesRead > 0) use(buffer.subarray(0, bytesRead));
        return bytesRead;
      } finally {
        if (isWhole) this.#free.push(buffer);
      }
    }, rest);
  }

  async #wait(bytes: number): Promise<void> {
    this.#check();
    const ms = this.#rate.take(bytes);
    if (ms > 0) await setTimeout(ms);
  }

  #check(): void {
    if (this.#isStopped()) throw new PoolClosedError();
  }

  #of(isLocal: boolean): Places {
    return isLocal ? this.#local : this.#remote;
  }
}

const placesOf = (pieces: number): Places => ({
  pieces: new Gate(pieces),
  long: new Gate(LONG_READS),
  decompressors: { short: new Gate(DECOMPRESSORS), long: new Gate(DECOMPRESSORS) },
});
