import { retry } from '../ambient/retry.ts';
import { NotDurableError, OverloadedError } from '../ports/errors.ts';
import type { LogRecord, Position } from '../ports/event-log.ts';
import type { ClientContext } from './client.ts';
import { withMissingRight } from './access.ts';
import { causeMessage, errorType, RecordRefusedError } from './errors.ts';
import { takeFlush, requeue, sharesOf } from './flush.ts';
import type { Flush, FlushLimits, PendingAppend } from './flush.ts';
import { messageBytes } from './message.ts';
import { ProducerSession } from './producer-session.ts';
import type { PartitionedMessage } from './producer-session.ts';
import { constantBackoff, isPermanent, pause, withTimeout } from './retry.ts';

/** Errors for a batch that is larger than the topic or the broker accepts. */
const TOO_LARGE = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);

/** Waiting bytes, over all topics. */
export interface Budget {
  used: number;
}

/**
 * Appends of one topic: one `sendBatch` at a time; appends that arrive during a send go into the next.
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
  /** When records were last refused, by `performance.now()`, and none was kept since. */
  #refusedAt = -Infinity;
  /** Bytes of a partition's share; below the limit after the topic has refused a larger batch. */
  #shareBytes: number;
  /** Number of records to send one at a time, to find the record that the topic refuses. */
  #alone = 0;

  constructor(context: ClientContext, topic: string, budget: Budget) {
    this.#context = context;
    this.#topic = topic;
    this.#budget = budget;
    this.#shareBytes = context.limits.flushPartitionBytes;
  }

  /**
   * Returns whether the last attempt to send failed and another is under way, or the records were refused lately: for as long as an
   * append may take, because a process that gets no calls could not find out that records are kept again.
   */
  get isFailing(): boolean {
    return this.#trying || performance.now() - this.#refusedAt < this.#context.limits.appendTimeoutMs;
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

  /** Resolves when all earlier appends are durable or refused. */
  async close(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    await this.#session?.then((session) => session.close()).catch(() => undefined);
    this.#session = undefined;
  }

  #discard(): void {
    // A session that opens late is ended too.
    this.#session?.then((session) => session.end()).catch(() => undefined);
    this.#session = undefined;
  }

  async #run(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        // Waits one turn of the event loop, so that all appends of that turn share the flush.
        await new Promise((resolve) => setImmediate(resolve));
        await this.#flush();
      }
    } finally {
      this.#running = undefined;
    }
  }

  async #flush(): Promise<void> {
    const flush = takeFlush(this.#queue, this.#flushLimits());
    this.#queue = this.#queue.filter(({ next, records }) => next < records.length);
    try {
      this.#acknowledge(flush, await this.#send(flush.messages));
      this.#refusedAt = -Infinity;
      if (this.#alone > 0) this.#alone--;
    } catch (error) {
      if (TOO_LARGE.has(errorType(error) ?? '')) this.#divide(flush, error);
      else {
        this.#refusedAt = performance.now();
        this.#refuse([...flush.slices.map((slice) => slice.append), ...this.#queue], error);
      }
    } finally {
      this.#trying = false;
    }
  }

  #flushLimits(): FlushLimits {
    const { limits } = this.#context;
    return this.#alone > 0
      ? { ...limits, flushBytes: 1 }
      : { ...limits, flushPartitionBytes: this.#shareBytes };
  }

  /**
   * Refuses all these appends at once: those behind the failed one have waited long enough, and their callers may
   * append again.
   */
  #refuse(appends: readonly PendingAppend[], error: unknown): void {
    const rights = [
      { operation: 'Write', on: 'topic', names: [this.#topic] },
      { operation: 'IdempotentWrite', on: 'cluster' },
    ] as const;
    const cause = causeMessage(withMissingRight(error, this.#context.connection, rights));
    const refusal = new NotDurableError(`Kafka did not keep the records: ${cause}`, { cause: error });
    this.#context.log.error({ topic: this.#topic, cause }, 'append failed');
    for (const append of new Set(appends)) this.#settle(append, () => append.reject(refusal));
    this.#queue = this.#queue.filter((append) => !appends.includes(append));
  }

  /**
   * Sends the refused records again in smaller parts, down to single records, because the topic accepts only smaller
   * batches. An append is refused only if the topic refuses one of its records alone.
   */
  #divide(flush: Flush, error: unknown): void {
    const { limits, log } = this.#context;
    const [{ append } = { append: undefined }] = flush.slices;
    if (append !== undefined && flush.messages.length === 1) {
      const bytes = messageBytes(append.records[flush.slices[0]!.from]!);
      const refusal = new RecordRefusedError(this.#topic, bytes, { cause: error });
      this.#alone = 0;
      this.#shareBytes = limits.flushPartitionBytes;
      this.#refuse([append], refusal);
      return;
    }
    this.#queue = requeue(flush, this.#queue);
    const largest = Math.max(
      0,
      ...sharesOf(flush)
        .filter((share) => share.records > 1)
        .map(({ bytes }) => bytes),
    );
    if (largest > 0) {
      this.#shareBytes = Math.ceil(largest / 2);
      log.warn(
        { topic: this.#topic, bytes: this.#shareBytes },
        'the topic takes smaller batches than are sent (max.message.bytes): they are divided',
      );
    } else this.#alone = flush.messages.length;
  }

  /**
   * Sends until the deadline. A retry sends the same messages with a new producer, so messages may be stored twice but
   * are never lost.
   */
  async #send(messages: readonly PartitionedMessage[]): Promise<ReadonlyMap<number, number>> {
    const { appendTimeoutMs, retryDelayMs } = this.#context.limits;
    const deadline = performance.now() + appendTimeoutMs;
    const attempt = () =>
      withTimeout(Math.max(1, deadline - performance.now()), 'append', this.#attempt(messages));
    const mayRetry = (error: unknown): boolean => {
      this.#discard();
      if (isPermanent(error) || performance.now() + retryDelayMs >= deadline) return false;
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
