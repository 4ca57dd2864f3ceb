import { NotDurableError, OverloadedError } from '../../ports/errors.ts';
import type { LogRecord, Position, StoredRecord } from '../../ports/event-log.ts';
import type { WorkerChannel } from '../worker-channel.ts';
import { encodeFrame, framedBytes, HEADER_BYTES } from './frame.ts';
import type { FlushRow, GroupOffset, WriterReply, WriterRequest } from './log-protocol.ts';
import type { PartitionState } from './partition.ts';

export type LogWriter = WorkerChannel<WriterRequest, WriterReply>;
/** The part of the writer that flushes need. */
export type FlushWriter = Pick<LogWriter, 'call'>;

/** Bytes of one flush; the limit bounds the time of a flush, and so the wait of the next append. */
const FLUSH_BYTES = 8 * 1_048_576;
/** Memory of flushes that is kept; only a single append larger than a flush needs more. */
const MOST_KEPT_BYTES = 2 * FLUSH_BYTES;
/** Bytes of one row; a partition's larger share of a flush is split into several rows. */
const ROW_BYTES = 1_048_576;
/** Longest wait of a group's offset for a flush that writes it, in milliseconds. */
const OFFSET_DELAY_MS = 100;

interface PendingAppend {
  readonly records: readonly LogRecord[];
  readonly partitions: readonly PartitionState[];
  readonly bytes: number;
  readonly resolve: (positions: Position[]) => void;
  readonly reject: (error: unknown) => void;
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Flush {
  readonly appends: readonly PendingAppend[];
  readonly positions: readonly Position[][];
  readonly staged: ReadonlyMap<PartitionState, StoredRecord[]>;
  readonly offsets: readonly GroupOffset[];
  readonly waiters: readonly Waiter[];
  readonly bytes: number;
}

/**
 * Group commit: one transaction at a time; appends that arrive during a transaction go into the next.
 * @pool embedded-appends
 */
export class Flusher {
  readonly #writer: FlushWriter;
  readonly #maxUnflushedBytes: number;
  #queue: PendingAppend[] = [];
  #unflushedBytes = 0;
  #offsets = new Map<string, GroupOffset>();
  #waiters: Waiter[] = [];
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  /** The newest appends found no room on the disk. */
  #isFull = false;
  /**
   * Memory that the writer gave back, for the next flush. In a small thread, which seldom cleans its heap, memory of
   * its own for each flush piles up to 64 MiB.
   */
  #memory: ArrayBuffer | undefined;

  constructor(writer: FlushWriter, maxUnflushedBytes: number) {
    this.#writer = writer;
    this.#maxUnflushedBytes = maxUnflushedBytes;
  }

  /** Bytes appended but not yet durable. */
  get unflushedBytes(): number {
    return this.#unflushedBytes;
  }

  /** Whether the newest appends were refused because the disk, or the file's limit, is full. */
  get isFull(): boolean {
    return this.#isFull;
  }

  append(records: readonly LogRecord[], partitions: readonly PartitionState[]): Promise<Position[]> {
    let bytes = 0;
    for (const record of records) bytes += framedBytes(record);
    if (this.#unflushedBytes + bytes > this.#maxUnflushedBytes)
      return Promise.reject(
        new OverloadedError(`more than ${this.#maxUnflushedBytes} bytes wait for the disk`),
      );
    this.#unflushedBytes += bytes;
    return new Promise((resolve, reject) => {
      this.#queue.push({ records, partitions, bytes, resolve, reject });
      this.#start();
    });
  }

  /** Keeps the offset for the next flush, which starts within OFFSET_DELAY_MS. */
  commit(offset: GroupOffset): void {
    this.#offsets.set(`${offset.slot}/${offset.group}`, offset);
    if (this.#running !== undefined) return;
    this.#timer ??= setTimeout(() => this.#start(), OFFSET_DELAY_MS);
  }

  /**
   * Resolves when all offsets committed before this call are durable, even while appends go on.
   * @throws NotDurableError when the offsets could not be kept
   */
  settle(): Promise<void> {
    if (this.#closed || (this.#offsets.size === 0 && this.#running === undefined)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#start();
    });
  }

  /** Resolves when all appends and offsets are durable. @throws NotDurableError when offsets could not be kept */
  async drain(): Promise<void> {
    while (this.#queue.length > 0 || this.#offsets.size > 0 || this.#running !== undefined) {
      this.#start();
      await this.#running;
    }
  }

  /**
   * Drains, then refuses further flushes. Offsets that do not fit on a full disk are dropped: their batches are
   * delivered again.
   */
  async close(): Promise<void> {
    try {
      await this.drain();
    } catch (error) {
      if (!(error instanceof NotDurableError)) throw error;
    } finally {
      this.#closed = true;
      clearTimeout(this.#timer);
    }
  }

  #start(): void {
    if (this.#running !== undefined || this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running = this.#run();
    this.#running.catch(() => undefined);
  }

  async #run(): Promise<void> {
    try {
      do {
        // Waits one turn of the event loop, so that all appends of that turn share the flush.
        await new Promise((resolve) => setImmediate(resolve));
        await this.#flush(this.#gather());
      } while (this.#queue.length > 0 || this.#waiters.length > 0);
    } finally {
      this.#running = undefined;
      if (this.#queue.length > 0 || this.#waiters.length > 0) this.#start();
      else if (this.#offsets.size > 0) this.#timer ??= setTimeout(() => this.#start(), OFFSET_DELAY_MS);
    }
  }

  #gather(): Flush {
    const staged = new Map<PartitionState, StoredRecord[]>();
    const positions: Position[][] = [];
    let bytes = 0;
    let taken = 0;
    for (const append of this.#queue) {
      if (taken > 0 && bytes + append.bytes > FLUSH_BYTES) break;
      bytes += append.bytes;
      taken++;
      positions.push(stage(append, staged));
    }
    const appends = this.#queue.slice(0, taken);
    this.#queue = this.#queue.slice(taken);
    const offsets = [...this.#offsets.values()];
    this.#offsets.clear();
    const waiters = this.#waiters.splice(0);
    return { appends, positions, staged, offsets, waiters, bytes };
  }

  async #flush(flush: Flush): Promise<void> {
    const memory = this.#memoryFor(flush);
    const rows = memory === undefined ? [] : rowsOf(flush.staged, Buffer.from(memory));
    const request: WriterRequest = { op: 'flush', rows, memory, offsets: flush.offsets };
    try {
      const transfer = memory === undefined ? [] : [memory];
      const given = (await this.#writer.call(request, transfer)) as ArrayBuffer | undefined;
      if (given !== undefined && given.byteLength <= MOST_KEPT_BYTES) this.#memory = given;
    } catch (error) {
      this.#unflushedBytes -= flush.bytes;
      for (const append of flush.appends) append.reject(error);
      for (const offset of flush.offsets) this.#keep(offset);
      if (flush.appends.length > 0) {
        this.#isFull = error instanceof NotDurableError;
        // The disk may still have room for the offsets without the records.
        this.#waiters.push(...flush.waiters);
        return;
      }
      for (const waiter of flush.waiters) waiter.reject(error);
      throw error;
    }
    // The offsets alone may find room where records do not.
    if (flush.appends.length > 0) this.#isFull = false;
    for (const waiter of flush.waiters) waiter.resolve();
    this.#unflushedBytes -= flush.bytes;
    for (const [state, records] of flush.staged) state.publish(records);
    flush.appends.forEach((append, index) => append.resolve(flush.positions[index]!));
  }

  /**
   * Returns memory for the frames of a flush. A flush without records drops the kept memory; after a flush that failed, its
   * memory is left to the writer's heap.
   */
  #memoryFor({ staged, bytes }: Flush): ArrayBuffer | undefined {
    const kept = this.#memory;
    this.#memory = undefined;
    if (staged.size === 0) return undefined;
    const most = bytes + HEADER_BYTES * (staged.size + Math.ceil(bytes / ROW_BYTES));
    if (kept !== undefined && kept.byteLength >= most) return kept;
    return new ArrayBuffer(2 ** Math.ceil(Math.log2(most)));
  }

  #keep(offset: GroupOffset): void {
    const name = `${offset.slot}/${offset.group}`;
    if (!this.#offsets.has(name)) this.#offsets.set(name, offset);
  }
}

function stage(append: PendingAppend, staged: Map<PartitionState, StoredRecord[]>): Position[] {
  return append.records.map(({ key, id, body }, index) => {
    const state = append.partitions[index]!;
    let records = staged.get(state);
    if (records === undefined) staged.set(state, (records = []));
    const record = { key, id, body, partition: state.partition, offset: state.end + records.length };
    records.push(record);
    return record;
  });
}

/** Encodes the records of each partition into `memory`, as one row or several. */
function rowsOf(staged: ReadonlyMap<PartitionState, readonly StoredRecord[]>, memory: Buffer): FlushRow[] {
  const rows: FlushRow[] = [];
  let at = 0;
  for (const [state, records] of staged) {
    let from = 0;
    let bytes = 0;
    for (let index = 0; index < records.length; index++) {
      bytes += records[index]!.body.byteLength;
      if (bytes < ROW_BYTES && index + 1 < records.length) continue;
      const part = records.slice(from, index + 1);
      const first = state.end + from;
      const end = encodeFrame(part, memory, at);
      rows.push({ slot: state.slot!, first, next: first + part.length, at, bytes: end - at });
      at = end;
      from = index + 1;
      bytes = 0;
    }
  }
  return rows;
}
