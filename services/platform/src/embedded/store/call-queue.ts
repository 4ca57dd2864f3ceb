import { NotDurableError, OverloadedError } from '../../ports/errors.ts';
import { toError } from '../worker-channel.ts';
import type { WorkerChannel } from '../worker-channel.ts';
import type { CallResult, ReadCall, StoreReply, StoreRequest, WriteCall } from './store-protocol.ts';

export type StoreChannel = WorkerChannel<StoreRequest, StoreReply>;

export interface CallQueueLimits {
  /** The most waiting and running calls. */
  readonly calls: number;
  /** The most bytes of these calls. */
  readonly bytes: number;
}

/**
 * Limits of one transaction, or of one message of reads: 1,000 calls and 4 MiB, so that one large transaction does not
 * delay the others. About half of what all consumers of one process write at a time: in one single transaction, all
 * consumers would wait together, and then the store would wait for them.
 */
const BATCH_CALLS = 1_000;
const BATCH_BYTES = 4 * 1_048_576;

interface Pending<Call> {
  readonly call: Call;
  readonly bytes: number;
  readonly resolve: (result: CallResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects calls while the thread works on the previous ones.
 * @pool embedded-calls
 */
export class CallQueue<Call extends WriteCall | ReadCall> {
  readonly #channel: StoreChannel;
  readonly #toRequest: (calls: readonly Call[]) => StoreRequest;
  readonly #limits: CallQueueLimits;
  #queue: Pending<Call>[] = [];
  #calls = 0;
  #bytes = 0;
  #running: Promise<void> | undefined;
  #isFull = false;

  constructor(
    channel: StoreChannel,
    toRequest: (calls: readonly Call[]) => StoreRequest,
    limits: CallQueueLimits,
  ) {
    this.#channel = channel;
    this.#toRequest = toRequest;
    this.#limits = limits;
  }

  /** Number of waiting and running calls. */
  get pending(): number {
    return this.#calls;
  }

  /** Whether the newest batch was refused because the disk, or the file's limit, is full. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** A single call may exceed the byte limit if no other one waits or runs. @throws OverloadedError */
  submit(call: Call, bytes: number): Promise<CallResult> {
    const isFull = this.#bytes > 0 && this.#bytes + bytes > this.#limits.bytes;
    if (this.#calls >= this.#limits.calls || (bytes > 0 && isFull))
      return Promise.reject(new OverloadedError('too many calls wait for the document store'));
    this.#calls++;
    this.#bytes += bytes;
    return new Promise((resolve, reject) => {
      this.#queue.push({ call, bytes, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when no call waits or runs. */
  async drain(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      // Waits one turn of the event loop, so that all calls of that turn share the message.
      await new Promise((resolve) => setImmediate(resolve));
      await this.#send(this.#take());
    }
    this.#running = undefined;
  }

  #take(): Pending<Call>[] {
    let bytes = 0;
    let taken = 0;
    for (const pending of this.#queue) {
      if (taken === BATCH_CALLS || (taken > 0 && bytes + pending.bytes > BATCH_BYTES)) break;
      bytes += pending.bytes;
      taken++;
    }
    const batch = this.#queue.slice(0, taken);
    this.#queue = this.#queue.slice(taken);
    return batch;
  }

  async #send(batch: readonly Pending<Call>[]): Promise<void> {
    try {
      const reply = await this.#channel.call(this.#toRequest(batch.map(({ call }) => call)));
      this.#isFull = reply.results!.some((result) => 'error' in result && result.error.kind === 'full');
      batch.forEach((pending, index) => settle(pending, reply.results![index]!));
    } catch (error) {
      this.#isFull = error instanceof NotDurableError;
      for (const pending of batch) pending.reject(error);
    } finally {
      for (const { bytes } of batch) {
        this.#calls--;
        this.#bytes -= bytes;
      }
    }
  }
}

function settle(pending: Pending<WriteCall | ReadCall>, result: CallResult): void {
  if ('error' in result) pending.reject(toError(result.error));
  else pending.resolve(result);
}
