import type { EventLog, StoredRecord } from '@sentinel-node/platform';

/** One read of a partition under way. */
interface PartitionRead {
  readonly batches: AsyncIterator<{ readonly records: readonly StoredRecord[] }>;
  readonly end: number;
  /** Where the next range has to begin. */
  position: number;
  batch: readonly StoredRecord[];
  /** Place in `batch` of the next record to give. */
  next: number;
}

/**
 * Reads ranges of a topic. Ranges of a partition that follow one another are taken from one read: a read of its own for
 * each fetches, from a broker, far more than the range and throws the rest away.
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

  /** Records of [from, to) in their order. Take all of them before the next range of the partition. */
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

  /** Ends what is under way. */
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
