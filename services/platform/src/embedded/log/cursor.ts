import { ShortReadError } from '../../ports/errors.ts';
import type { StoredRecord } from '../../ports/event-log.ts';
import type { WorkerChannel } from '../worker-channel.ts';
import type { ReaderReply, ReaderRequest } from './log-protocol.ts';
import type { PartitionState } from './partition.ts';
import { rowRecords } from './row-records.ts';
import { RowUnreadableError } from './row-unreadable-error.ts';

export type LogReader = WorkerChannel<ReaderRequest, ReaderReply>;

/** Bytes of bodies in one batch; a single record may be larger. */
export const BATCH_BYTES = 4 * 1_048_576;
/** Bytes that one read of the file decodes ahead. */
const READ_AHEAD_BYTES = 1_048_576;

/**
 * A read position in one partition. Reads use the records in memory, else the file.
 * @boundedBy READ_AHEAD_BYTES, for one reader of one partition
 */
export class PartitionCursor {
  position: number;
  readonly #state: PartitionState;
  readonly #reader: LogReader;
  /** Records decoded from the file; `#at` is the index of the first record at or after `position`. */
  #ahead: StoredRecord[] = [];
  #at = 0;

  constructor(state: PartitionState, reader: LogReader, position: number) {
    this.#state = state;
    this.#reader = reader;
    this.position = position;
  }

  /** Returns the next visible records without moving the position; none at `to`. @throws ShortReadError */
  async peek(maxRecords: number, to = Number.POSITIVE_INFINITY): Promise<StoredRecord[]> {
    const end = Math.min(to, this.#state.end);
    this.position = Math.max(this.position, Math.min(this.#state.start, end));
    if (this.position >= end) return [];
    const max = Math.min(maxRecords, end - this.position);
    const ready = this.#fromAhead(max, end) ?? this.#state.window.slice(this.position, max, BATCH_BYTES);
    if (ready !== undefined) return ready;
    await this.#readAhead();
    return this.#fromAhead(max, end) ?? [];
  }

  moveTo(offset: number): void {
    this.position = offset;
  }

  #fromAhead(maxRecords: number, end: number): StoredRecord[] | undefined {
    while (this.#at < this.#ahead.length && this.#ahead[this.#at]!.offset < this.position) this.#at++;
    if (this.#at === this.#ahead.length) this.#ahead = [];
    if (this.#ahead.length === 0) this.#at = 0;
    const found: StoredRecord[] = [];
    let bytes = 0;
    for (let at = this.#at; at < this.#ahead.length && found.length < maxRecords; at++) {
      const record = this.#ahead[at]!;
      bytes += record.body.byteLength;
      if (record.offset >= end || (found.length > 0 && bytes > BATCH_BYTES)) break;
      found.push(record);
    }
    return found.length > 0 ? found : undefined;
  }

  async #readAhead(): Promise<void> {
    const { topic, slot, partition, end } = this.#state;
    if (slot === undefined) return;
    const request = { op: 'read', slot, from: this.position, maxBytes: READ_AHEAD_BYTES } as const;
    const rows = await this.#reader.call(request);
    this.#ahead = this.#recordsOf(rows);
    this.#at = 0;
    // Compaction removes records, but never the last of a partition: that record is the newest of its key.
    const last = rows.at(-1);
    if (last === undefined) throw ShortReadError.at(topic, partition, this.position, end, this.position);
    if (this.#ahead.every((record) => record.offset < this.position)) this.position = last.next;
  }

  /** Returns the records of rows of which the first has the one at `position`. @throws RowUnreadableError */
  #recordsOf(rows: ReaderReply): StoredRecord[] {
    const { isWhole, partition } = this.#state;
    let expected = this.position;
    return rows.flatMap((row, at) => {
      const { first, next } = row;
      // The first row may begin before the position. No other one may: it would say again what the row before it says.
      if (isWhole && (first > expected || (at > 0 && first < expected)))
        throw RowUnreadableError.of(this.#state, expected, 'a row of the log is missing, or stands twice');
      expected = next;
      try {
        return rowRecords(row, partition, isWhole);
      } catch (error) {
        throw RowUnreadableError.of(this.#state, first, error);
      }
    });
  }
}
