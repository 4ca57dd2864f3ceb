import { LogStartLostError, LogUnavailableError, ShortReadError } from '../ports/errors.ts';
import type { RecordBatch, StoredRecord, TopicSpec } from '../ports/event-log.ts';
import { withMissingRight } from './access.ts';
import { clientIdOf } from './client.ts';
import type { ClientContext } from './client.ts';
import { ClusterReader } from './cluster.ts';
import type { FetchedPartition } from './cluster.ts';
import { errorType } from './errors.ts';
import { fromMessage } from './message.ts';
import { ClosedError, pause, retrying, withTimeout } from './retry.ts';
import { assertWhole } from './whole-records.ts';

/** Longest pause between two checks whether the log was closed, in milliseconds. */
const PAUSE_SLICE_MS = 500;
/** Throttling for less than this is not logged, in milliseconds. */
const TOLD_THROTTLE_MS = 5_000;

/** A series of answers without a record. */
interface Stall {
  readonly topic: string;
  readonly partition: number;
  readonly at: number;
  readonly end: number;
  /** Milliseconds since the Unix epoch. */
  readonly since: number;
  /** Milliseconds of that time in which the broker throttled the reader. */
  throttledMs: number;
}

/** Reads ranges over one connection, which is replaced after a failure. */
export class RangeReader {
  readonly #context: ClientContext;
  readonly #topics: ReadonlyMap<string, TopicSpec>;
  #reader: ClusterReader | undefined;
  /**
   * End of the broker's throttling, before which an answer would not come in time. Milliseconds since the Unix epoch.
   */
  #throttledUntil = 0;
  #closed = false;

  constructor(context: ClientContext, topics: readonly TopicSpec[]) {
    this.#context = context;
    this.#topics = new Map(topics.map((topic) => [topic.name, topic]));
  }

  /** Connects in advance, so that the first read needs a single request. @throws LogUnavailableError */
  async prepare(topics: readonly string[]): Promise<void> {
    for (const topic of topics) await this.#call(topic, (reader) => reader.prepare(topic));
  }

  /**
   * Reads a range, as in the port. An answer without records does not show the end: a throttling broker answers without
   * partitions, a new leader does not know yet how far the log is replicated, and other answers are briefly empty.
   * @throws ShortReadError after `readTimeoutMs` without records, LogStartLostError, LogHoleError, LogUnavailableError, ClosedError
   */
  async *read(topic: string, partition: number, from: number, to?: number): AsyncIterable<RecordBatch> {
    const end = to ?? (await this.#end(topic, partition));
    let stall: Stall | undefined;
    for (let position = from; position < end;) {
      const at = position;
      const { fetched, kept, throttledMs } = await this.#call(topic, (reader) =>
        fetchOne(reader, topic, partition, at, this.#context.limits.fetchWaitMs),
      );
      if (this.#topics.get(topic)?.retention === 'forever') {
        if (kept > at) throw LogStartLostError.before({ topic, partition, start: kept }, 'a read', at);
        assertWhole(fetched?.messages ?? [], { topic, partition, reader: 'a read', from: at, to: end });
      }
      const { records, next } = take(fetched, kept, end);
      this.#throttle(topic, throttledMs);
      if (next > at) stall = undefined;
      else {
        stall ??= { topic, partition, at, end, since: Date.now(), throttledMs: 0 };
        await this.#wait(stall, throttledMs);
        stall.throttledMs += throttledMs;
      }
      position = next;
      yield* chunks(topic, partition, records, this.#context.limits.batchRecords);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const closing = this.#reader?.close() ?? Promise.resolve();
    // kafkajs waits for requests that the broker throttles.
    await withTimeout(this.#context.limits.closeTimeoutMs, 'close', closing).catch(() => undefined);
  }

  /**
   * Returns the end of the partition according to the brokers; a new leader that does not know the end yet answers with
   * an error.
   */
  #end(topic: string, partition: number): Promise<number> {
    return this.#call(topic, (reader) => reader.boundOffset(topic, partition, 'end'));
  }

  /**
   * Waits a moment for more records. Time in which the broker throttles the reader does not count as silence of the
   * log. Both times have a limit, so that alternating answers do not make the reader wait for ever.
   * @throws ShortReadError, LogUnavailableError
   */
  async #wait(stall: Stall, throttledMs: number): Promise<void> {
    const { topic, partition, at, end, since } = stall;
    const { readTimeoutMs, retryDelayMs, throttledTimeoutMs } = this.#context.limits;
    const silentMs = Date.now() - since;
    if (throttledMs === 0) {
      if (silentMs - stall.throttledMs >= readTimeoutMs)
        throw ShortReadError.at(topic, partition, at, end, await this.#end(topic, partition));
      return pause(retryDelayMs);
    }
    if (silentMs + throttledMs >= throttledTimeoutMs)
      throw new LogUnavailableError(
        `${topic} partition ${partition}: the broker gives nothing from offset ${at} on for ${Math.round((silentMs + throttledMs) / 1_000)} s (limit ${throttledTimeoutMs / 1_000} s): the quota of the client id ${clientIdOf(this.#context)} is used up, or smaller than a batch; raise its consumer_byte_rate`,
      );
  }

  #throttle(topic: string, ms: number): void {
    if (ms > TOLD_THROTTLE_MS) this.#context.log.warn({ topic, ms }, 'the broker holds reads back (quota)');
    // This read fails; the next one uses a new connection, which the broker does not throttle.
    if (ms >= this.#context.limits.throttledTimeoutMs) this.#renew();
    else this.#throttledUntil = Math.max(this.#throttledUntil, Date.now() + ms);
  }

  #renew(): void {
    void this.#reader?.close();
    this.#reader = undefined;
  }

  async #call<T>(topic: string, work: (reader: ClusterReader) => Promise<T>): Promise<T> {
    for (let left; (left = this.#throttledUntil - Date.now()) > 0 && !this.#closed;)
      await pause(Math.min(left, PAUSE_SLICE_MS));
    try {
      return await retrying(
        `read of ${topic}`,
        this.#context.limits,
        () => work((this.#reader ??= this.#open())),
        () => this.#renew(),
      );
    } catch (error) {
      throw withMissingRight(error, this.#context.connection, [
        { operation: 'Read', on: 'topic', names: [topic] },
      ]);
    }
  }

  #open(): ClusterReader {
    if (this.#closed) throw new ClosedError();
    return new ClusterReader(this.#context);
  }
}

interface OneFetch {
  readonly fetched: FetchedPartition | undefined;
  /** The requested offset, or the first kept offset when the requested one is gone. */
  readonly kept: number;
  readonly throttledMs: number;
}

async function fetchOne(
  reader: ClusterReader,
  topic: string,
  partition: number,
  from: number,
  waitMs: number,
): Promise<OneFetch> {
  const [leader] = await reader.leaders(topic, [partition]);
  if (leader === undefined) throw new Error(`topic ${topic} has no partition ${partition}`);
  const fetch = async (kept: number) => {
    const at = new Map([[partition, kept]]);
    const { partitions, throttledMs } = await reader.fetch(leader[0], topic, at, waitMs);
    return { fetched: partitions[0], kept, throttledMs };
  };
  try {
    return await fetch(from);
  } catch (error) {
    if (errorType(error) !== 'OFFSET_OUT_OF_RANGE') throw error;
    const start = await reader.boundOffset(topic, partition, 'start');
    // Beyond the end no records exist yet; records before the start are removed.
    return from > start ? { fetched: undefined, kept: from, throttledMs: 0 } : await fetch(start);
  }
}

/**
 * Returns the records of [from, end) and the next offset; `from` without records. A broker answers with whole
 * batches, so earlier records have to be dropped.
 */
export function take(
  fetched: FetchedPartition | undefined,
  from: number,
  end: number,
): { records: StoredRecord[]; next: number } {
  if (fetched === undefined) return { records: [], next: from };
  const { messages, partition } = fetched;
  const records = messages
    .filter(({ isControlRecord }) => isControlRecord !== true)
    .map((message) => fromMessage(message, partition))
    .filter(({ offset }) => offset >= from && offset < end);
  const last = messages.at(-1);
  return { records, next: last === undefined ? from : Math.max(from, Number(last.offset) + 1) };
}

export function* chunks(
  topic: string,
  partition: number,
  records: readonly StoredRecord[],
  size: number,
): Iterable<RecordBatch> {
  for (let at = 0; at < records.length; at += size)
    yield { topic, partition, records: records.slice(at, at + size) };
}
