import { Worker } from 'node:worker_threads';
import { ConflictError, NotDurableError, PortError } from '../ports/errors.ts';
import type { ErrorReply } from './sqlite-errors.ts';
import type { CallMessage, ReplyMessage } from './worker-protocol.ts';

/** Called once for an error after which no answer of the adapter can be trusted. */
export type FatalHandler = (error: Error) => void;

/**
 * Writes one line and ends the process. Acknowledged data is on the disk, so that the next start continues from there.
 */
export const endProcess: FatalHandler = (error) => {
  process.stderr.write(`fatal: ${error.message.replaceAll('\n', ' ')}\n`);
  process.exit(1);
};

export class WorkerFailure extends Error {
  override readonly name = 'WorkerFailure';
}

interface Waiting<Reply> {
  readonly resolve: (value: Reply) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly exited: Promise<void>;
}

export function toError(reply: ErrorReply): Error {
  if (reply.kind === 'full') return new NotDurableError(reply.message);
  if (reply.code === 'CONFLICT') return new ConflictError(reply.message);
  if (reply.kind === 'port') return new PortError(reply.code, reply.message);
  return new WorkerFailure(reply.message);
}

/**
 * Calls one worker thread, which answers in order. A crash or an I/O error of the thread is fatal. The thread starts
 * with the first call, because an unused thread would take about 9 MB.
 */
export class WorkerChannel<Request, Reply> {
  readonly #module: URL;
  readonly #workerData: unknown;
  readonly #onFatal: FatalHandler;
  /** @boundedBy the running calls of its owner */
  readonly #waiting = new Map<number, Waiting<Reply>>();
  #thread: Thread | undefined;
  #calls = 0;
  #ending = false;
  #failure: Error | undefined;

  constructor(module: URL, workerData: unknown, onFatal: FatalHandler) {
    this.#module = module;
    this.#workerData = workerData;
    this.#onFatal = onFatal;
  }

  #start(): Thread {
    const worker = new Worker(this.#module, { workerData: this.#workerData });
    const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    worker.on('message', (reply: ReplyMessage<Reply>) => this.#answer(reply));
    worker.on('error', (error) => this.#fail(new WorkerFailure(`a storage thread failed: ${error.message}`)));
    worker.on('exit', () => {
      if (!this.#ending) this.#fail(new WorkerFailure('a storage thread ended'));
    });
    return { worker, exited };
  }

  call(request: Request, transfer: readonly ArrayBuffer[] = []): Promise<Reply> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#ending && this.#thread === undefined)
      return Promise.reject(new WorkerFailure('a storage thread was ended before its first call'));
    const { worker } = (this.#thread ??= this.#start());
    return new Promise((resolve, reject) => {
      const call = this.#calls++;
      this.#waiting.set(call, { resolve, reject });
      const message: CallMessage<Request> = { call, request };
      worker.postMessage(message, [...transfer]);
    });
  }

  /** Sends the last request and waits until the thread has ended. */
  async end(request: Request): Promise<void> {
    this.#ending = true;
    if (this.#thread === undefined) return;
    if (this.#failure !== undefined) return this.abandon();
    await this.call(request);
    await this.#thread.exited;
  }

  /** Ends a thread that failed; its errors are no longer fatal. */
  async abandon(): Promise<void> {
    this.#ending = true;
    await this.#thread?.worker.terminate();
  }

  #answer(reply: ReplyMessage<Reply>): void {
    const waiting = this.#waiting.get(reply.call);
    if (waiting === undefined) return;
    this.#waiting.delete(reply.call);
    if ('value' in reply) return waiting.resolve(reply.value);
    const error = toError(reply.error);
    waiting.reject(error);
    if (reply.error.kind === 'fatal' || reply.error.kind === 'failed') this.#fail(error);
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
    if (!this.#ending) this.#onFatal(error);
  }
}
