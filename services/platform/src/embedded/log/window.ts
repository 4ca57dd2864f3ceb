import type { StoredRecord } from '../../ports/event-log.ts';

/** Memory of a record in addition to its bytes: an object, two strings, a view. */
const RECORD_OVERHEAD_BYTES = 256;

interface Chunk {
  readonly first: number;
  readonly records: readonly StoredRecord[];
  readonly bytes: number;
}

/**
 * The newest records of one partition that are still in memory, without a gap.
 * @pool embedded-tails
 */
export class PartitionWindow {
  #chunks: Chunk[] = [];
  #head = 0;

  /** Offset of the oldest record held; undefined when the window is empty. */
  get first(): number | undefined {
    return this.#chunks[this.#head]?.first;
  }

  push(chunk: Chunk): void {
    this.#chunks.push(chunk);
  }

  dropOldest(): Chunk | undefined {
    const chunk = this.#chunks[this.#head];
    if (chunk === undefined) return undefined;
    this.#head++;
    if (this.#head * 2 > this.#chunks.length) {
      this.#chunks = this.#chunks.slice(this.#head);
      this.#head = 0;
    }
    return chunk;
  }

  /** Returns records from `offset` on, at least one if any exists; undefined when `offset` is not in memory. */
  slice(offset: number, maxRecords: number, maxBytes: number): StoredRecord[] | undefined {
    const first = this.first;
    if (first === undefined || offset < first) return undefined;
    const found: StoredRecord[] = [];
    let bytes = 0;
    for (let index = this.#chunkOf(offset); index < this.#chunks.length; index++) {
      const chunk = this.#chunks[index]!;
      for (let at = Math.max(0, offset - chunk.first); at < chunk.records.length; at++) {
        const record = chunk.records[at]!;
        bytes += record.body.byteLength;
        if (found.length === maxRecords || (found.length > 0 && bytes > maxBytes)) return found;
        found.push(record);
      }
    }
    return found;
  }

  #chunkOf(offset: number): number {
    let low = this.#head;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#chunks[middle]!.first <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

export interface WindowLimits {
  readonly records: number;
  readonly bytes: number;
}

/**
 * Windows that share one limit; the oldest chunk of all windows is dropped first.
 * @pool embedded-tails
 */
export class WindowSet {
  readonly #limits: WindowLimits;
  #order: PartitionWindow[] = [];
  #head = 0;
  #records = 0;
  #bytes = 0;

  constructor(limits: WindowLimits) {
    this.#limits = limits;
  }

  add(window: PartitionWindow, first: number, records: readonly StoredRecord[]): void {
    let bytes = 0;
    for (const record of records) bytes += record.body.byteLength + RECORD_OVERHEAD_BYTES;
    window.push({ first, records, bytes });
    this.#order.push(window);
    this.#records += records.length;
    this.#bytes += bytes;
    while (this.#records > this.#limits.records || this.#bytes > this.#limits.bytes) this.#evict();
  }

  #evict(): void {
    const chunk = this.#order[this.#head]!.dropOldest()!;
    this.#records -= chunk.records.length;
    this.#bytes -= chunk.bytes;
    this.#head++;
    if (this.#head * 2 > this.#order.length) {
      this.#order = this.#order.slice(this.#head);
      this.#head = 0;
    }
  }
}
