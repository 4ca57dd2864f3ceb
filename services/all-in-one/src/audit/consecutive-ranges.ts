import type { EventLog, StoredRecord } from '@sentinel-node/platform';

/** A running read of a partition. */
interface PartitionRead {
  readonly batches: AsyncIterator<{ readonly records: readonly StoredRecord[] }>;
  readonly end: number;
  /** Offset at which the next range must begin. */
  position: number;
  batch: readonly StoredRecord[];
  /** Index in `batch` of the next record to return. */
  next: number;
}

/**
 * Reads ranges of a topic. Consecutive ranges of a partition share one read: a separate read for each would fetch,
 * from a broker, far more than the range and discard the rest.
 * @boundedBy the partitions, with the records of one batch each
 */
export class ConsecutiveRanges {
  readonly #eventLog: Pick<EventLog, 'bounds' | 'read'>;
  readonly #topic: string;
  readonly #reads = new Map<number, PartitionRead>();
  #ends: ReadonlyMap<number, number> | undefined;

  constructor(eventLog: Pick<EventLog, 'bounds' | 'read'>, topic: string) {
    this.#eventLog = eventLog;
    this.#topic = topic;
  }

  /** Yields the records of [from, to) in order. Take all of them before the next range of the partition. */
  async *records(partition: number, from: number, to: number): AsyncGenerator<StoredRecord> {
    const read = await this.#readFrom(partition, from, to);
    for (;;) {
      const record = read.batch[read.next];
      if (record === undefined) {
        const more = await read.batches.next();
        if (more.done === true) break;
        read.batch = more.value.records;
        read.next = 0;
      } else if (record.offset >= to) break;
      else {
        read.next += 1;
        yield record;
      }
    }
    read.position = to;
  }

  /** Ends the running reads. */
  async close(): Promise<void> {
    const reads = [...this.#reads.values()];
    this.#reads.clear();
    for (const { batches } of reads) await batches.return?.();
  }

  async #readFrom(partition: number, from: number, to: number): Promise<PartitionRead> {
    const underWay = this.#reads.get(partition);
    if (underWay?.position === from && to <= underWay.end) return underWay;
    await underWay?.batches.return?.();
    this.#ends ??= await this.#endsOfLog();
    const end = Math.max(to, this.#ends.get(partition) ?? to);
    const batches = this.#eventLog.read(this.#topic, partition, from, end)[Symbol.asyncIterator]();
    const read = { batches, end, position: from, batch: [], next: 0 };
    this.#reads.set(partition, read);
    return read;
  }

  async #endsOfLog(): Promise<ReadonlyMap<number, number>> {
    const bounds = await this.#eventLog.bounds(this.#topic);
    return new Map(bounds.map(({ partition, end }) => [partition, end]));
  }
}
