import { Worker } from 'node:worker_threads';
import type { Version } from '@sentinel-node/contracts';
import { AheadTable } from './ahead-table.ts';
import type { Hashes } from './hash-now.ts';
import { NotRegularError } from './kind.ts';
import type { Stamp } from './stamp.ts';

export interface HashJob {
  readonly id: number;
  readonly path: string;
  /** Length of the prefix to hash as well, in bytes; null for no prefix. */
  readonly prefixLength: number | null;
}

interface Failed {
  readonly code: string;
  readonly message: string;
  /** Kind of the entry when it is no regular file, else null. */
  readonly what: string | null;
}

export type HashAnswer = { readonly id: number } & (
  { readonly hashed: Hashes } | { readonly failed: Failed }
);

/** Files to read ahead of their first look; all threads share the table. */
export interface AheadJob {
  readonly paths: readonly string[];
  readonly buffer: SharedArrayBuffer;
}

/** Message of a thread that finds no further file of its `AheadJob`. */
export interface AheadDone {
  readonly ahead: true;
}

/** Returns the version of a file that a thread read ahead, once, if the file has the same stats as then. */
export type Ahead = (about: Stamp) => Version | undefined;

export interface HashWorkerData {
  readonly bytesPerSecond: number;
  readonly pieceBytes: number;
}

export interface HashPoolOptions {
  /** Most threads; each has one file open and one piece of the file in memory. */
  readonly workers?: number;
  /** Reading rate of all threads together; default: unlimited. */
  readonly bytesPerSecond?: number;
}

/** The pool closed before the file was read; the error says nothing about the file. */
export class PoolClosedError extends Error {
  readonly code = 'POOL_CLOSED';
}

interface Waiting extends HashJob {
  readonly isLarge: boolean;
  readonly resolve: (hashed: Hashes) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  job: Waiting | undefined;
  /** Whether the thread reads files ahead. */
  isAhead: boolean;
  idleSince: number;
}

interface AheadBatch {
  paths: string[];
  /** undefined while files are added. */
  table: AheadTable | undefined;
  /** Steady time at which the threads got the table, in ms; Infinity before that. */
  sentAt: number;
}

/** Threads, also on a machine with one processor: one of them is free of large files. */
export const WORKERS = 2;
const PIECE_BYTES = 1_048_576;
/** Size above which only one file is read at a time, in bytes, so that small files always find a thread. */
export const LARGE_BYTES = 64 * 1_048_576;
/** Idle time after which a thread ends, in ms. */
const IDLE_MS = 10_000;
/** Most files of a table, and the fewest for which a second thread is started. */
const AHEAD_FILES = 2_000;
const AHEAD_FILES_A_THREAD = 16;
/** Age at which the look reads a file again that was read ahead, in ms: a first look tells what the file holds now. */
const AHEAD_MS = 60_000;
/** Heap of a thread, in MiB: a thread holds only requests, answers and the paths of a table there. */
const HEAP_MIB = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 };

/** Hashes files in threads, so that neither reading nor hashing delays the agent. */
export class HashPool {
  readonly #workers: number;
  readonly #data: HashWorkerData;
  readonly #threads = new Set<Thread>();
  /** @boundedBy a file waits once: the looks at the files of the configuration */
  readonly #queue: Waiting[] = [];
  #jobs = 0;
  /** Files to read ahead, to which others are added. */
  #batch: AheadBatch | undefined;
  /**
   * Full batches. The threads get one at a time: the paths of all would not fit into a thread, and files of each would be
   * read before a look has its turn. @boundedBy the files of the configurations
   */
  readonly #batches: AheadBatch[] = [];
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ workers = WORKERS, bytesPerSecond = Infinity }: HashPoolOptions = {}) {
    this.#workers = workers;
    this.#data = { bytesPerSecond: bytesPerSecond / this.#workers, pieceBytes: PIECE_BYTES };
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Whether the reading rate is limited. */
  get isPaced(): boolean {
    return this.#data.bytesPerSecond !== Infinity;
  }

  /**
   * Hashes the bytes that the file has at opening, and its first `prefixLength` bytes.
   * @param size approximate size of the file, in bytes
   * @throws NotRegularError; PoolClosedError; Error of node:fs
   */
  hash(path: string, prefixLength: number | null, size: number): Promise<Hashes> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new PoolClosedError('the agent stops'));
      const isLarge = size > LARGE_BYTES && this.#workers > 1;
      this.#queue.push({ id: this.#jobs++, path, prefixLength, isLarge, resolve, reject });
      this.#dispatch();
    });
  }

  /**
   * Lets a thread read a small file before its first look, between files that looks wait for.
   * @param path absolute path of a file on a local file system, which does not hang
   * @returns undefined with a limited rate, which is for the looks
   */
  readAhead(path: string): Ahead | undefined {
    if (this.#closed || this.isPaced) return undefined;
    const batch = (this.#batch ??= this.#newBatch());
    const index = batch.paths.push(path) - 1;
    if (batch.paths.length === AHEAD_FILES) this.#endBatch();
    return (about) => {
      // Also of a table that no thread has yet: none then reads the file.
      const version = batch.table?.take(index, about);
      return performance.now() - batch.sentAt > AHEAD_MS ? undefined : version;
    };
  }

  #newBatch(): AheadBatch {
    setImmediate(() => this.#endBatch());
    return { paths: [], table: undefined, sentAt: Infinity };
  }

  #endBatch(): void {
    const batch = this.#batch;
    this.#batch = undefined;
    if (batch === undefined || this.#closed) return;
    const files = batch.paths.length;
    batch.table = new AheadTable(new SharedArrayBuffer(AheadTable.bytesFor(files)), files);
    this.#batches.push(batch);
    this.#sendBatch();
  }

  /** Gives all threads the next table when they are done with the one before. */
  #sendBatch(): void {
    if (this.#closed || this.#batches.length === 0) return;
    for (const { isAhead } of this.#threads) if (isAhead) return;
    const batch = this.#batches.shift();
    if (batch?.table === undefined) return;
    const { paths, table } = batch;
    const threads = Math.min(this.#workers, Math.ceil(paths.length / AHEAD_FILES_A_THREAD));
    while (this.#threads.size < threads && this.#tryStart() !== undefined);
    if (this.#threads.size === 0) return void (this.#batches.length = 0);
    batch.sentAt = performance.now();
    for (const thread of this.#threads) {
      thread.isAhead = true;
      thread.worker.postMessage({ paths, buffer: table.buffer } satisfies AheadJob);
    }
    batch.paths = [];
    this.#timer ??= setTimeout(() => this.#retire(), IDLE_MS).unref();
  }

  /** Ends the threads and rejects waiting files. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#batches.length = 0;
    clearTimeout(this.#timer);
    for (const { reject } of this.#queue.splice(0)) reject(new PoolClosedError('the agent stops'));
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  #dispatch(): void {
    for (const thread of this.#threads) if (thread.job === undefined) this.#give(thread);
    if (this.#queue.length > 0 && this.#threads.size < this.#workers) {
      const thread = this.#tryStart();
      if (thread !== undefined) this.#give(thread);
    }
    this.#timer ??= setTimeout(() => this.#retire(), IDLE_MS).unref();
  }

  /** Starts a thread. @returns undefined when the system refuses it; without any thread the waiting files fail */
  #tryStart(): Thread | undefined {
    try {
      return this.#start();
    } catch (error) {
      if (this.#threads.size === 0) for (const { reject } of this.#queue.splice(0)) reject(error);
      return undefined;
    }
  }

  #give(thread: Thread): void {
    const isLargeTaken = [...this.#threads].some(({ job }) => job?.isLarge === true);
    const next = this.#queue.findIndex(({ isLarge }) => !isLarge || !isLargeTaken);
    const [job] = next === -1 ? [] : this.#queue.splice(next, 1);
    thread.job = job;
    if (job === undefined) return void (thread.idleSince = performance.now());
    const { id, path, prefixLength } = job;
    thread.worker.postMessage({ id, path, prefixLength });
  }

  #start(): Thread {
    const worker = new Worker(new URL('./hash-worker.js', import.meta.url), {
      workerData: this.#data,
      resourceLimits: HEAP_MIB,
      execArgv: [],
    });
    worker.unref();
    const thread: Thread = { worker, job: undefined, isAhead: false, idleSince: performance.now() };
    this.#threads.add(thread);
    worker.on('message', (answer: HashAnswer | AheadDone) => {
      if ('ahead' in answer) {
        thread.isAhead = false;
        thread.idleSince = performance.now();
        return this.#sendBatch();
      }
      this.#settle(thread, answer);
      this.#give(thread);
    });
    worker.on('error', (error) => this.#ended(thread, error));
    worker.on('exit', () => this.#ended(thread, new Error('the hashing thread ended')));
    return thread;
  }

  #settle(thread: Thread, answer: HashAnswer): void {
    const { job } = thread;
    thread.job = undefined;
    if (job === undefined || job.id !== answer.id) return;
    if ('hashed' in answer) return job.resolve(answer.hashed);
    const { code, message, what } = answer.failed;
    job.reject(
      what === null ? Object.assign(new Error(message), { code }) : new NotRegularError(job.path, what),
    );
  }

  /** Rejects the ended thread's file, which the next look retries; other threads take the waiting files. */
  #ended(thread: Thread, error: Error): void {
    thread.job?.reject(this.#closed ? new PoolClosedError('the agent stops') : error);
    thread.job = undefined;
    this.#threads.delete(thread);
    if (!this.#closed && this.#queue.length > 0) this.#dispatch();
    this.#sendBatch();
  }

  #retire(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const thread of this.#threads) {
      if (thread.job !== undefined || thread.isAhead || now - thread.idleSince < IDLE_MS) continue;
      this.#threads.delete(thread);
      void thread.worker.terminate();
    }
    if (this.#threads.size > 0) this.#timer = setTimeout(() => this.#retire(), IDLE_MS).unref();
  }
}
