import { Worker } from 'node:worker_threads';
import { deserializeError } from './carried-error.ts';
import { buffersOf } from './packed-records.ts';
import type { Answer, Ask, FromThread, Operation, ThreadOptions, ToThread } from './protocol.ts';

const BODY = new URL('thread-main.js', import.meta.url);

/** Messages that the thread sends unasked. */
export type ThreadNotice = Exclude<FromThread, { readonly kind: 'answer' | 'refusal' }>;

interface Waiting {
  readonly resolve: (answer: Answer<Operation>) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The caller's side of the thread. An uncaught exception of the thread becomes an uncaught exception here.
 * @boundedBy the running calls of its owner
 */
export class ThreadChannel {
  readonly #worker: Worker;
  readonly #onNotice: (notice: ThreadNotice) => void;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  #ending = false;

  constructor(options: ThreadOptions, onNotice: (notice: ThreadNotice) => void) {
    this.#onNotice = onNotice;
    // Without a listener for `error`, an error of the worker is thrown here.
    this.#worker = new Worker(BODY, { workerData: options });
    this.#worker.on('message', (message: FromThread) => this.#hear(message));
    this.#worker.on('exit', () => {
      if (!this.#ending) throw new Error('the thread that speaks to Kafka has ended');
    });
  }

  /** Calls the thread; the buffers of `packed` in `ask` are transferred. */
  call<Op extends Operation>(op: Op, ask: Ask<Op>, packed: object = {}): Promise<Answer<Op>> {
    if (this.#ending) return Promise.reject(new Error('the event log is closed'));
    return new Promise<Answer<Op>>((resolve, reject) => {
      const call = this.#calls++;
      this.#waiting.set(call, { resolve: resolve, reject });
      this.#tell({ kind: 'call', call, op, ask }, packed);
    });
  }

  handled(delivery: number, succeeded: boolean): void {
    if (!this.#ending) this.#tell({ kind: 'handled', delivery, succeeded });
  }

  /** Ends the thread; every unanswered call ends with an error. */
  async end(): Promise<void> {
    this.#ending = true;
    await this.#worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(new Error('the event log is closed'));
    this.#waiting.clear();
  }

  #tell(message: ToThread, packed: object = {}): void {
    this.#worker.postMessage(message, buffersOf(packed));
  }

  #hear(message: FromThread): void {
    if (message.kind !== 'answer' && message.kind !== 'refusal') return this.#onNotice(message);
    const waiting = this.#waiting.get(message.call);
    this.#waiting.delete(message.call);
    if (message.kind === 'answer') waiting?.resolve(message.answer);
    else waiting?.reject(deserializeError(message.error));
  }
}
