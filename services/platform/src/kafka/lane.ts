import { NotDurableError, OverloadedError } from '../ports/errors.ts';
import type { LogRecord, Position } from '../ports/event-log.ts';
import type { ClientContext } from './client.ts';
import { causeMessage } from './errors.ts';
import { toMessage, messageBytes } from './message.ts';
import { ProducerSession } from './producer-session.ts';
import type { PartitionedMessage } from './producer-session.ts';
import { isPermanent, pause, within } from './retry.ts';

/** Bytes that wait, over all topics. */
export interface Budget {
  used: number;
}

interface PendingAppend {
  readonly records: readonly LogRecord[];
  readonly partitions: readonly number[];
  readonly positions: Position[];
  readonly bytes: number;
  /** Index of the first record that is in no flush yet. */
  next: number;
  readonly resolve: (positions: Position[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Records [from, to) of an append that travel together. */
interface Slice {
  readonly append: PendingAppend;
  readonly from: number;
  readonly to: number;
}

interface Flush {
  readonly slices: readonly Slice[];
  readonly messages: readonly PartitionedMessage[];
}

/** Appends of one topic: one `sendBatch` at a time; what comes meanwhile goes into the next. */
export class Lane {
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
    const flush = this.#gather();
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

  #gather(): Flush {
    const { flushBytes, flushPartitionBytes, flushPartitionRecords } = this.#context.limits;
    const shares = new Map<number, { bytes: number; records: number }>();
    const slices: Slice[] = [];
    const messages: PartitionedMessage[] = [];
    let total = 0;
    let taken = 0;
    for (const append of this.#queue) {
      const from = append.next;
      for (; append.next < append.records.length; append.next++) {
        const record = append.records[append.next]!;
        const partition = append.partitions[append.next]!;
        const bytes = messageBytes(record);
        let share = shares.get(partition);
        if (share === undefined) shares.set(partition, (share = { bytes: 0, records: 0 }));
        const full = share.bytes + bytes > flushPartitionBytes || share.records === flushPartitionRecords;
        if ((share.records > 0 && full) || (total > 0 && total + bytes > flushBytes)) break;
        share.bytes += bytes;
        share.records++;
        total += bytes;
        messages.push(toMessage(record, partition));
      }
      if (append.next > from) slices.push({ append, from, to: append.next });
      if (append.next < append.records.length) break;
      taken++;
    }
    this.#queue = this.#queue.slice(taken);
    return { slices, messages };
  }

  /** Until the deadline: the same messages by a new producer; they may be kept twice, but are never lost. */
  async #send(messages: readonly PartitionedMessage[]): Promise<ReadonlyMap<number, number>> {
    const { appendTimeoutMs, retryDelayMs } = this.#context.limits;
    const deadline = Date.now() + appendTimeoutMs;
    for (;;) {
      try {
        return await within(Math.max(1, deadline - Date.now()), 'append', this.#attempt(messages));
      } catch (error) {
        this.#discard();
        if (isPermanent(error) || Date.now() + retryDelayMs >= deadline) throw error;
        this.#context.log.warn({ topic: this.#topic, cause: causeMessage(error) }, 'append tried again');
        this.#trying = true;
        await pause(retryDelayMs);
      }
    }
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

  #settle(append: PendingAppend, tell: () => void): void {
    this.#budget.used -= append.bytes;
    tell();
  }
}
