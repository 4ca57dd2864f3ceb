import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Version } from '@sentinel-node/contracts';
import { AheadTable } from './ahead-table.ts';
import type { Hashes } from './hash-now.ts';
import { NotRegularError } from './kind.ts';
import { PieceReads, PoolClosedError } from './piece-reads.ts';
import { ReadRate } from './read-rate.ts';
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
  | { readonly hashed: Hashes }
  | { readonly failed: Failed }
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

/** The rate that all threads share, as `ReadRate`. */
export type HashWorkerData = Pick<ReadRate, 'bytesPerSecond' | 'buffer'>;

export interface HashPoolOptions {
  /** Most threads; each has one piece of a file in memory. */
  readonly workers?: number;
  /** Rate of all reads of the agent together; default: unlimited. */
  readonly bytesPerSecond?: number;
}

interface Waiting extends HashJob {
  readonly size: number;
  readonly isLong: boolean;
  readonly resolve: (hashed: Hashes) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  /** The files that it reads, by id. @boundedBy one short read, and LONG_READS */
  readonly jobs: Map<number, Waiting>;
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

const WORKERS = 2;
/** Most long reads of a thread, which also takes a short one meanwhile. */
const LONG_READS = 16;
/** Idle time after which a thread ends, in ms. */
const IDLE_MS = 10_000;
/** Most files of a table, and the fewest for which a second thread is started. */
const AHEAD_FILES = 2_000;
const AHEAD_FILES_A_THREAD = 16;
/** Most threads that read ahead: one processor is left to the main thread, which has twice as much to do meanwhile. */
const AHEAD_THREADS = Math.max(1, availableParallelism() - 1);
/** Age at which the look reads a file again that was read ahead, in ms: a first look tells what the file holds now. */
const AHEAD_MS = 60_000;
/** Heap of a thread, in MiB: a thread holds only requests, answers and the paths of a table there. */
const HEAP_MIB = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 };

/** Hashes files in threads, so that neither reading nor hashing delays the agent, and has the rate of all reads. */
export class HashPool {
  /** The reads that are not done in the threads. */
  readonly reads: PieceReads;
  readonly #workers: number;
  readonly #rate: ReadRate;
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
    this.#rate = new ReadRate(bytesPerSecond);
    this.reads = new PieceReads({ rate: this.#rate, isStopped: () => this.#closed });
  }

  /** Whether the reading rate is limited. */
  get isPaced(): boolean {
    return this.#rate.isLimited;
  }

  /**
   * Hashes the bytes that the file has at opening, and its first `prefixLength` bytes.
   * @param size approximate size of the file, in bytes: of the files that wait, the smallest comes first
   * @throws NotRegularError; PoolClosedError; Error of node:fs
   */
  hash(path: string, prefixLength: number | null, size: number): Promise<Hashes> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new PoolClosedError());
      const isLong = this.reads.isLong(size);
      const job: Waiting = { id: this.#jobs++, path, prefixLength, size, isLong, resolve, reject };
      const before = this.#queue.findLastIndex((other) => other.size <= size);
      this.#queue.splice(before + 1, 0, job);
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

  /** Gives the threads the next table when they are done with the one before. */
  #sendBatch(): void {
    if (this.#closed || this.#batches.length === 0) return;
    for (const { isAhead } of this.#threads) if (isAhead) return;
    const batch = this.#batches.shift();
    if (batch?.table === undefined) return;
    const { paths, table } = batch;
    const threads = Math.min(this.#workers, AHEAD_THREADS, Math.ceil(paths.length / AHEAD_FILES_A_THREAD));
    while (this.#threads.size < threads && this.#tryStart() !== undefined);
    if (this.#threads.size === 0) return void (this.#batches.length = 0);
    batch.sentAt = performance.now();
    const free = [...this.#threads].filter(isIdle);
    for (const thread of (free.length === 0 ? [...this.#threads] : free).slice(0, threads)) {
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
    for (const { reject } of this.#queue.splice(0)) reject(new PoolClosedError());
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  /** Gives files to threads, to idle ones first, until no thread may take one. */
  #dispatch(): void {
    const give = (fits: (thread: Thread) => boolean): void => {
      for (const thread of this.#threads) if (fits(thread)) this.#give(thread);
    };
    for (let waiting = Infinity; this.#queue.length > 0 && this.#queue.length < waiting;) {
      waiting = this.#queue.length;
      give((thread) => isIdle(thread) && !thread.isAhead);
      if (this.#queue.length > 0 && this.#threads.size < this.#workers) {
        const thread = this.#tryStart();
        if (thread !== undefined) this.#give(thread);
      }
      // A large file would hold up the files that are read ahead.
      give(({ isAhead }) => !isAhead);
      give(({ isAhead }) => isAhead);
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

  /** Gives the thread one file that waits, if it may take one. */
  #give(thread: Thread): void {
    const jobs = [...thread.jobs.values()];
    const long = jobs.filter(({ isLong }) => isLong).length;
    const isBusy = jobs.length > long;
    const next = this.#queue.findIndex(({ isLong }) => (isLong ? long < LONG_READS : !isBusy));
    const [job] = next === -1 ? [] : this.#queue.splice(next, 1);
    if (job === undefined) return;
    const { id, path, prefixLength } = job;
    thread.jobs.set(id, job);
    thread.worker.postMessage({ id, path, prefixLength } satisfies HashJob);
  }

  #start(): Thread {
    const worker = new Worker(new URL('./hash-worker.js', import.meta.url), {
      workerData: {
        bytesPerSecond: this.#rate.bytesPerSecond,
        buffer: this.#rate.buffer,
      } satisfies HashWorkerData,
      resourceLimits: HEAP_MIB,
      execArgv: [],
    });
    worker.unref();
    const thread: Thread = { worker, jobs: new Map(), isAhead: false, idleSince: performance.now() };
    this.#threads.add(thread);
    worker.on('message', (answer: HashAnswer | AheadDone) => {
      if ('ahead' in answer) {
        thread.isAhead = false;
        thread.idleSince = performance.now();
        return this.#sendBatch();
      }
      this.#settle(thread, answer);
      thread.idleSince = performance.now();
      if (this.#queue.length > 0) this.#dispatch();
    });
    worker.on('error', (error) => this.#ended(thread, error));
    worker.on('exit', () => this.#ended(thread, new Error('the hashing thread ended')));
    return thread;
  }

  #settle(thread: Thread, answer: HashAnswer): void {
    const job = thread.jobs.get(answer.id);
    thread.jobs.delete(answer.id);
    if (job === undefined) return;
    if ('hashed' in answer) return job.resolve(answer.hashed);
    const { code, message, what } = answer.failed;
    job.reject(
      what === null ? Object.assign(new Error(message), { code }) : new NotRegularError(job.path, what),
    );
  }

  /** Rejects the ended thread's files, which the next look retries; other threads take the waiting files. */
  #ended(thread: Thread, error: Error): void {
    for (const { reject } of thread.jobs.values()) reject(this.#closed ? new PoolClosedError() : error);
    thread.jobs.clear();
    this.#threads.delete(thread);
    if (!this.#closed && this.#queue.length > 0) this.#dispatch();
    this.#sendBatch();
  }

  #retire(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const thread of this.#threads) {
      if (!isIdle(thread) || thread.isAhead || now - thread.idleSince < IDLE_MS) continue;
      this.#threads.delete(thread);
      void thread.worker.terminate();
    }
    if (this.#threads.size > 0) this.#timer = setTimeout(() => this.#retire(), IDLE_MS).unref();
  }
}

const isIdle = ({ jobs }: Thread): boolean => jobs.size === 0;
