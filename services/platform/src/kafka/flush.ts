import type { LogRecord, Position } from '../ports/event-log.ts';
import { messageBytes, toMessage } from './message.ts';
import type { KafkaLimits } from './options.ts';
import type { PartitionedMessage } from './producer-session.ts';

export interface PendingAppend {
  readonly records: readonly LogRecord[];
  readonly partitions: readonly number[];
  readonly positions: Position[];
  readonly bytes: number;
  /** Index of the first record that is not in a flush yet. */
  next: number;
  readonly resolve: (positions: Position[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Records [from, to) of an append that are sent together. */
export interface Slice {
  readonly append: PendingAppend;
  readonly from: number;
  readonly to: number;
}

export interface Flush {
  readonly slices: readonly Slice[];
  readonly messages: readonly PartitionedMessage[];
}

export type FlushLimits = Pick<KafkaLimits, 'flushBytes' | 'flushPartitionBytes' | 'flushPartitionRecords'>;

/**
 * Counts the records of a flush, for each partition and in total.
 * @boundedBy one flush
 */
class Load {
  readonly #limits: FlushLimits;
  readonly #shares = new Map<number, { bytes: number; records: number }>();
  readonly #closed = new Set<number>();
  #bytes = 0;
  /** True once a record did not fit into the total. */
  isFull = false;

  constructor(limits: FlushLimits) {
    this.#limits = limits;
  }

  /** Counts the record if it fits; an oversized record fits only into an empty share. */
  takes(partition: number, bytes: number): boolean {
    const { flushBytes, flushPartitionBytes, flushPartitionRecords } = this.#limits;
    if (this.#closed.has(partition)) return false;
    const share = this.#shares.get(partition) ?? { bytes: 0, records: 0 };
    const exceeds = share.bytes + bytes > flushPartitionBytes || share.records === flushPartitionRecords;
    if (share.records > 0 && exceeds) return false;
    this.isFull = this.#bytes > 0 && this.#bytes + bytes > flushBytes;
    if (this.isFull) return false;
    share.bytes += bytes;
    share.records++;
    this.#shares.set(partition, share);
    this.#bytes += bytes;
    return true;
  }

  /** Closes the partition for this flush. */
  close(partition: number): void {
    this.#closed.add(partition);
  }
}

/**
 * Takes as much of the queue as one `sendBatch` may contain, and moves `next` of the appends. A record that is left
 * delays all later records of its partitions, and no others.
 */
export function takeFlush(queue: readonly PendingAppend[], limits: FlushLimits): Flush {
  const load = new Load(limits);
  const slices: Slice[] = [];
  const messages: PartitionedMessage[] = [];
  for (const append of queue) {
    const { partitions, records } = append;
    const from = append.next;
    for (; append.next < records.length; append.next++) {
      const partition = partitions[append.next]!;
      const record = records[append.next]!;
      if (!load.takes(partition, messageBytes(record))) break;
      messages.push(toMessage(record, partition));
    }
    if (append.next > from) slices.push({ append, from, to: append.next });
    for (let left = append.next; left < records.length; left++) load.close(partitions[left]!);
    if (load.isFull) break;
  }
  return { slices, messages };
}

/** Returns the bytes and records of each partition. */
export function sharesOf({ slices }: Flush): readonly { readonly bytes: number; readonly records: number }[] {
  const shares = new Map<number, { bytes: number; records: number }>();
  for (const { append, from, to } of slices)
    for (let index = from; index < to; index++) {
      const partition = append.partitions[index]!;
      const { bytes, records } = shares.get(partition) ?? { bytes: 0, records: 0 };
      shares.set(partition, {
        bytes: bytes + messageBytes(append.records[index]!),
        records: records + 1,
      });
    }
  return [...shares.values()];
}

/** Returns the queue with the records of the flush put back, in the old order, to be gathered again. */
export function requeue({ slices }: Flush, queue: readonly PendingAppend[]): PendingAppend[] {
  for (const { append, from } of slices) append.next = from;
  return [...new Set([...slices.map(({ append }) => append), ...queue])];
}
