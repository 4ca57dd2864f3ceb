import { retry } from '../ambient/retry.ts';
import { NotDurableError, OverloadedError } from '../ports/errors.ts';
import type { LogRecord, Position } from '../ports/event-log.ts';
import type { ClientContext } from './client.ts';
import { causeMessage } from './errors.ts';
import { gather } from './flush.ts';
import type { Flush, PendingAppend } from './flush.ts';
import { messageBytes } from './message.ts';
import { ProducerSession } from './producer-session.ts';
import type { PartitionedMessage } from './producer-session.ts';
import { constantBackoff, isPermanent, pause, within } from './retry.ts';

/** Bytes that wait, over all topics. */
export interface Budget {
  used: number;
}

/**
 * Appends of one topic: one `sendBatch` at a time; what comes meanwhile goes into the next.
 * @pool kafka-appends
 */
export class TopicProducer {
  readonly #context: ClientContext;
  readonly #topic: string;
  readonly #budget: Budget;
  #queue: PendingAppend[] = [];
  #session: Promise<ProducerSession> | undefined;
  #running: Promise<void> | undefined;
  #trying = false;

  constructor(context: ClientContext, topic: string, budget: Budget) {
    this.#context = context;
    this.#topic = topic;
    this.#budget = budget;
  }

  /** The last try to send failed, and the next is under way. */
  get isTryingAgain(): boolean {
    return this.#trying;
  }

  append(records: readonly LogRecord[], partitions: readonly number[]): Promise<Position[]> {
    const { unflushedBytes } = this.#context.limits;
    let bytes = 0;
    for (const record of records) bytes += messageBytes(record);
    if (this.#budget.used + bytes > unflushedBytes)
      return Promise.reject(new OverloadedError(`more than ${unflushedBytes} bytes wait for Kafka`));
    this.#budget.used += bytes;
    return new Promise((resolve, reject) => {
      this.#queue.push({ records, partitions, positions: [], bytes, next: 0, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when all that was given before is durable or refused. */
  async close(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    await this.#session?.then((session) => session.close()).catch(() => undefined);
    this.#session = undefined;
  }

  #discard(): void {
    // One that opens late is ended too.
    this.#session?.then((session) => session.end()).catch(() => undefined);
    this.#session = undefined;
  }

  async #run(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        // Lets everything that this turn of the event loop brings take part.
        await new Promise((resolve) => setImmediate(resolve));
        await this.#flush();
      }
    } finally {
      this.#running = undefined;
    }
  }

  async #flush(): Promise<void> {
    const flush = gather(this.#queue, this.#context.limits);
    this.#queue = this.#queue.filter(({ next, records }) => next < records.length);
    try {
      this.#acknowledge(flush, await this.#send(flush.messages));
    } catch (error) {
      const refusal = new NotDurableError(`Kafka did not keep the records: ${causeMessage(error)}`, {
        cause: error,
      });
      this.#context.log.error({ topic: this.#topic, cause: causeMessage(error) }, 'append failed');
      // Who waits behind has waited long enough: all are told at once, and may append again.
      for (const append of new Set([...flush.slices.map((slice) => slice.append), ...this.#queue]))
        this.#settle(append, () => append.reject(refusal));
      this.#queue = [];
    } finally {
      this.#trying = false;
    }
  }

  /** Until the deadline: the same messages by a new producer; they may be kept twice, but are never lost. */
  async #send(messages: readonly PartitionedMessage[]): Promise<ReadonlyMap<number, number>> {
    const { appendTimeoutMs, retryDelayMs } = this.#context.limits;
    const deadline = Date.now() + appendTimeoutMs;
    const attempt = () => within(Math.max(1, deadline - Date.now()), 'append', this.#attempt(messages));
    const mayRetry = (error: unknown): boolean => {
      this.#discard();
      if (isPermanent(error) || Date.now() + retryDelayMs >= deadline) return false;
      this.#context.log.warn({ topic: this.#topic, cause: causeMessage(error) }, 'append tried again');
      this.#trying = true;
      return true;
    };
    return retry(attempt, { backoff: constantBackoff(retryDelayMs), delay: pause, mayRetry });
  }

  async #attempt(messages: readonly PartitionedMessage[]): Promise<ReadonlyMap<number, number>> {
    this.#session ??= ProducerSession.open(this.#context, this.#topic);
    return (await this.#session).send(messages);
  }

  #acknowledge({ slices }: Flush, bases: ReadonlyMap<number, number>): void {
    const next = new Map(bases);
    for (const { append, from, to } of slices) {
      for (let index = from; index < to; index++) {
        const partition = append.partitions[index]!;
        const offset = next.get(partition)!;
        next.set(partition, offset + 1);
        append.positions.push({ partition, offset });
      }
      if (append.positions.length === append.records.length)
        this.#settle(append, () => append.resolve(append.positions));
    }
  }

  #settle(append: PendingAppend, settle: () => void): void {
    this.#budget.used -= append.bytes;
    settle();
  }
}
