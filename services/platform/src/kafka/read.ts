import type { RecordBatch, StoredRecord } from '../ports/event-log.ts';
import type { ClientContext } from './client.ts';
import { ClusterReader } from './cluster.ts';
import type { FetchedPartition } from './cluster.ts';
import { errorType } from './errors.ts';
import { fromMessage } from './message.ts';
import { ClosedError, retrying } from './retry.ts';

/** The shortest wait that a broker knows: what is not there now is not waited for. */
const NO_WAIT_MS = 1;

/** Reads ranges; one connection for all, made anew after a failure. */
export class RangeReader {
  readonly #context: ClientContext;
  #reader: ClusterReader | undefined;
  #closed = false;

  constructor(context: ClientContext) {
    this.#context = context;
  }

  /** So that a first read has no more to do than to ask. @throws LogUnavailableError */
  async prepare(topics: readonly string[]): Promise<void> {
    for (const topic of topics) await this.#call(topic, (reader) => reader.prepare(topic));
  }

  /** The port's `read`. @throws LogUnavailableError, ClosedError */
  async *read(topic: string, partition: number, from: number, to?: number): AsyncIterable<RecordBatch> {
    let end = to ?? Infinity;
    let position = from;
    while (position < end) {
      const at = position;
      const fetched = await this.#call(topic, (reader) => fetchOne(reader, topic, partition, at));
      end = Math.min(end, to ?? Infinity, fetched.highWatermark);
      const { records, next } = take(fetched, at, end);
      position = next;
      yield* chunks(topic, partition, records, this.#context.limits.batchRecords);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#reader?.close();
  }

  #call<T>(topic: string, work: (reader: ClusterReader) => Promise<T>): Promise<T> {
    const renew = () => {
      void this.#reader?.close();
      this.#reader = undefined;
    };
    return retrying(
      `read of ${topic}`,
      this.#context.limits,
      () => work((this.#reader ??= this.#open())),
      renew,
    );
  }

  #open(): ClusterReader {
    if (this.#closed) throw new ClosedError();
    return new ClusterReader(this.#context);
  }
}

async function fetchOne(
  reader: ClusterReader,
  topic: string,
  partition: number,
  from: number,
): Promise<FetchedPartition> {
  const [leader] = await reader.leaders(topic, [partition]);
  if (leader === undefined) throw new Error(`topic ${topic} has no partition ${partition}`);
  const fetch = async (at: number) =>
    (await reader.fetch(leader[0], topic, new Map([[partition, at]]), NO_WAIT_MS))[0];
  try {
    return (await fetch(from)) ?? nothing(partition, from);
  } catch (error) {
    if (errorType(error) !== 'OFFSET_OUT_OF_RANGE') throw error;
    const start = await reader.edge(topic, partition, 'start');
    if (from > start) return nothing(partition, from);
    return (await fetch(start)) ?? nothing(partition, start);
  }
}

function nothing(partition: number, end: number): FetchedPartition {
  return { partition, highWatermark: end, messages: [] };
}

/**
 * Records of [from, end) and where to go on. A broker answers with whole batches, so earlier records come along; where
 * compaction left an empty batch nothing comes, and the next offset is the next one.
 */
export function take(
  { partition, messages }: FetchedPartition,
  from: number,
  end: number,
): { records: StoredRecord[]; next: number } {
  const records = messages
    .map((message) => fromMessage(message, partition))
    .filter(({ offset }) => offset >= from && offset < end);
  const last = messages.at(-1);
  return { records, next: Math.max(from + 1, last === undefined ? 0 : Number(last.offset) + 1) };
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
