import type { Worker } from 'node:worker_threads';
import { ConflictError, NotDurableError, PortError } from '../ports/errors.ts';
import { giveBack, takeThread } from './idle-threads.ts';
import type { ErrorReply } from './sqlite-errors.ts';
import type { CallMessage, ReplyMessage, StartMessage } from './worker-protocol.ts';

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
  readonly #start: StartMessage<unknown>;
  readonly #onFatal: FatalHandler;
  /** @boundedBy the running calls of its owner */
  readonly #waiting = new Map<number, Waiting<Reply>>();
  #thread: Worker | undefined;
  #calls = 0;
  #ending = false;
  #failure: Error | undefined;

  /** @param module the thread's body. @param options of its file */
  constructor(module: URL, options: unknown, onFatal: FatalHandler) {
    this.#module = module;
    this.#start = { start: options };
    this.#onFatal = onFatal;
  }

  #open(): Worker {
    const thread = takeThread(this.#module);
    thread.on('message', (reply: ReplyMessage<Reply>) => this.#answer(reply));
    thread.on('error', (error) => this.#fail(new WorkerFailure(`a storage thread failed: ${error.message}`)));
    thread.on('exit', () => this.#fail(new WorkerFailure('a storage thread ended')));
    thread.postMessage(this.#start);
    return thread;
  }

  call(request: Request, transfer: readonly ArrayBuffer[] = []): Promise<Reply> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    // The thread may have another file by then.
    if (this.#ending) return Promise.reject(new WorkerFailure('a storage thread was ended before a call'));
    return this.#send((this.#thread ??= this.#open()), request, transfer);
  }

  #send(thread: Worker, request: Request, transfer: readonly ArrayBuffer[] = []): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const call = this.#calls++;
      this.#waiting.set(call, { resolve, reject });
      const message: CallMessage<Request> = { call, request };
      thread.postMessage(message, [...transfer]);
    });
  }

  /** Sends the last request, which closes the file, and gives the thread back. */
  async end(request: Request): Promise<void> {
    this.#ending = true;
    const thread = this.#thread;
    // It gets another file: who ends or abandons this channel again must not reach it.
    this.#thread = undefined;
    if (thread === undefined) return;
    if (this.#failure !== undefined) {
      await thread.terminate();
      return;
    }
    try {
      await this.#send(thread, request);
    } catch (error) {
      await thread.terminate();
      throw error;
    }
    await giveBack(this.#module, thread);
  }

  /** Ends a thread that failed; its errors are no longer fatal. */
  async abandon(): Promise<void> {
    this.#ending = true;
    await this.#thread?.terminate();
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
