import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { HashedNow } from './hash-now.ts';
import { NotRegularError } from './kind.ts';

export interface HashJob {
  readonly id: number;
  readonly path: string;
  /** Of the part at the beginning that is hashed by itself; null: none. */
  readonly prefixLength: number | null;
}

interface Failed {
  readonly code: string;
  readonly message: string;
  /** Of what is there instead of a regular file. */
  readonly what: string | null;
}

export type HashAnswer = { readonly id: number } & (
  { readonly hashed: HashedNow } | { readonly failed: Failed }
);

export interface HashWorkerData {
  readonly bytesPerSecond: number;
  readonly pieceBytes: number;
}

export interface HashPoolOptions {
  /** Threads at the most; each has one file open, and one piece of it in memory. */
  readonly workers?: number;
  /** Of all threads together. */
  readonly bytesPerSecond?: number;
}

/** The agent stops: the file was not read, which says nothing of the file. */
export class PoolClosedError extends Error {
  readonly code = 'POOL_CLOSED';
}

interface Waiting extends HashJob {
  readonly isLarge: boolean;
  readonly resolve: (hashed: HashedNow) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  job: Waiting | undefined;
  idleSince: number;
}

const WORKERS_MAX = 2;
const PIECE_BYTES = 1_048_576;
/** Of larger files one is read at a time, in bytes, so that the others do not wait for several of them. */
const LARGE_BYTES = 64 * 1_048_576;
/** A thread that had nothing to do for so long ends, in ms. */
const IDLE_MS = 10_000;
/** The heap of a thread, which holds nothing but what is asked and said, in MiB. */
const HEAP_MIB = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 };

/** Threads that hash files, so that neither the reading nor the hashing holds up the agent. */
export class HashPool {
  readonly #workers: number;
  readonly #data: HashWorkerData;
  readonly #threads = new Set<Thread>();
  /** @boundedBy a file waits once: the looks at the files of the configuration */
  readonly #queue: Waiting[] = [];
  #jobs = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ workers, bytesPerSecond = Infinity }: HashPoolOptions = {}) {
    this.#workers = workers ?? Math.min(WORKERS_MAX, availableParallelism());
    this.#data = { bytesPerSecond: bytesPerSecond / this.#workers, pieceBytes: PIECE_BYTES };
  }

  /** Whether there is a pace to keep. */
  get isPaced(): boolean {
    return this.#data.bytesPerSecond !== Infinity;
  }

  /**
   * The hash of the bytes that the file has when it is opened, and of its first `prefixLength`.
   * @param size about how large the file is, in bytes
   * @throws NotRegularError; PoolClosedError; Error of node:fs
   */
  hash(path: string, prefixLength: number | null, size: number): Promise<HashedNow> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new PoolClosedError('the agent stops'));
      const isLarge = size > LARGE_BYTES && this.#workers > 1;
      this.#queue.push({ id: this.#jobs++, path, prefixLength, isLarge, resolve, reject });
      this.#dispatch();
    });
  }

  /** Ends the threads; files that wait are given up. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const { reject } of this.#queue.splice(0)) reject(new PoolClosedError('the agent stops'));
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  #dispatch(): void {
    for (const thread of this.#threads) if (thread.job === undefined) this.#give(thread);
    if (this.#queue.length > 0 && this.#threads.size < this.#workers) this.#give(this.#start());
    this.#timer ??= setTimeout(() => this.#retire(), IDLE_MS).unref();
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
    const thread: Thread = { worker, job: undefined, idleSince: performance.now() };
    this.#threads.add(thread);
    worker.on('message', (answer: HashAnswer) => {
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

  /** The file that it was at is looked at again; the others go to other threads. */
  #ended(thread: Thread, error: Error): void {
    thread.job?.reject(this.#closed ? new PoolClosedError('the agent stops') : error);
    thread.job = undefined;
    this.#threads.delete(thread);
    if (!this.#closed && this.#queue.length > 0) this.#dispatch();
  }

  #retire(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const thread of this.#threads) {
      if (thread.job !== undefined || now - thread.idleSince < IDLE_MS) continue;
      this.#threads.delete(thread);
      void thread.worker.terminate();
    }
    if (this.#threads.size > 0) this.#timer = setTimeout(() => this.#retire(), IDLE_MS).unref();
  }
}
