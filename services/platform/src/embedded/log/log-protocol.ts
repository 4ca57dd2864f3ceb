import type { TopicSpec } from '../../ports/event-log.ts';

/** Messages between the threads of the log. `slot` is the number of a (topic, partition) in this file. */
export interface LogThreadOptions {
  readonly file: string;
  readonly cacheBytes: number;
}

export interface FlushRow {
  readonly slot: number;
  readonly first: number;
  /** Offset after the last record. */
  readonly next: number;
  /** Where the frame lies in the memory of the flush. */
  readonly at: number;
  readonly bytes: number;
}

export interface GroupOffset {
  readonly group: string;
  readonly slot: number;
  readonly next: number;
}

export type WriterRequest =
  | {
      readonly op: 'open';
      readonly topics: readonly TopicSpec[];
      readonly epoch: string;
      readonly maxBytes: number;
    }
  | {
      readonly op: 'flush';
      readonly rows: readonly FlushRow[];
      /** Memory of the frames, which the answer gives back; undefined without rows. */
      readonly memory: ArrayBuffer | undefined;
      readonly offsets: readonly GroupOffset[];
    }
  | { readonly op: 'limit'; readonly maxBytes: number }
  | { readonly op: 'compact'; readonly slot: number }
  | { readonly op: 'end' };

export interface OpenedPartition {
  readonly topic: string;
  readonly partition: number;
  readonly slot: number;
  readonly end: number;
}

export interface OpenedLog {
  readonly epoch: string;
  readonly partitions: readonly OpenedPartition[];
  readonly offsets: readonly GroupOffset[];
}

/** The answer to a flush is its memory. */
export type WriterReply = OpenedLog | ArrayBuffer | undefined;

export type ReaderRequest =
  | { readonly op: 'read'; readonly slot: number; readonly from: number; readonly maxBytes: number }
  | { readonly op: 'end' };

export interface ReadRow {
  readonly first: number;
  /** Offset after the last record. */
  readonly next: number;
  /** Undefined when the file has something else than bytes there: somebody wrote to it. */
  readonly frame: ArrayBuffer | undefined;
}

export type ReaderReply = readonly ReadRow[];

/** A row's key is slot · 2^44 + first offset, so that the rows of a partition are together, in order, in one tree. */
export const OFFSET_BITS = 44n;
export const OFFSET_MASK = (1n << OFFSET_BITS) - 1n;

export function rowKey(slot: number, offset: number): bigint {
  return (BigInt(slot) << OFFSET_BITS) | BigInt(offset);
}
