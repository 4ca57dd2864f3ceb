import { randomUUID } from 'node:crypto';
import { LIMITS, partitionOf } from '@sentinel-node/contracts';
import type { EventLog, LogRecord, Position, RecordBatch, TopicSpec } from '../../ports/event-log.ts';
import type { ConsumeOptions, Subscription } from '../../ports/event-log.ts';
import type { DataFolder } from '../data-folder.ts';
import { endProcess, WorkerChannel } from '../worker-channel.ts';
import type { FatalHandler } from '../worker-channel.ts';
import { BATCH_BYTES, PartitionCursor } from './cursor.ts';
import type { LogReader } from './cursor.ts';
import { Flusher } from './flusher.ts';
import type { LogWriter } from './flusher.ts';
import { NAME_BYTES } from './frame.ts';
import { ConsumerGroup } from './group.ts';
import type { Handler } from './group.ts';
import type { LogThreadOptions, OpenedLog } from './log-protocol.ts';
import { PartitionState } from './partition.ts';
import { Tail } from './tail.ts';
import { WindowSet } from './window.ts';
import type { WindowLimits } from './window.ts';

/** Defaults of `openEmbeddedEventLog`; bytes, records. */
export const EVENT_LOG_LIMITS = {
  unflushedBytes: 64 * 1_048_576,
  tailCacheBytes: 32 * 1_048_576,
  tailCacheRecords: 100_000,
  /** Of one volatile topic. */
  volatileBytes: 16 * 1_048_576,
  volatileRecords: 50_000,
  /** Page cache of each of the two connections. */
  pageCacheBytes: 16 * 1_048_576,
  batchRecords: 1_000,
  batchBytes: BATCH_BYTES,
  /** A partition of a compacted topic is compacted at boot and after so many new records. */
  compactionRecords: 10_000,
} as const;

export interface EmbeddedEventLogOptions {
  readonly folder: DataFolder;
  readonly topics: readonly TopicSpec[];
  /** Bytes of the file; appends beyond are refused with NotDurableError. Default: what the disk holds. */
  readonly maxBytes?: number;
  readonly limits?: Partial<Record<keyof typeof EVENT_LOG_LIMITS, number>>;
  /** An I/O error or a crash of a thread. Default: one line, and the end of the process. */
  readonly onFatal?: FatalHandler;
}

export interface EmbeddedEventLog extends EventLog {
  /** Sets `maxBytes` anew; works at once. */
  limitBytes(maxBytes: number): Promise<void>;
  /** Appended and not yet durable; for metrics. */
  unflushedBytes(): number;
}

const LOG_FILE = 'log.db';
const NO_LIMIT_BYTES = Number.MAX_SAFE_INTEGER;

/**
 * Opens, or makes, the log of a data folder. @throws PartitionCountChangedError
 * @throws NotDurableError when there is no room for the tables
 */
export async function openEmbeddedEventLog(options: EmbeddedEventLogOptions): Promise<EmbeddedEventLog> {
  const limits = { ...EVENT_LOG_LIMITS, ...options.limits };
  const thread: LogThreadOptions = {
    file: options.folder.file(LOG_FILE),
    cacheBytes: limits.pageCacheBytes,
  };
  const onFatal = options.onFatal ?? endProcess;
  let opening = true;
  const failed: FatalHandler = (error) => (opening ? undefined : onFatal(error));
  const writer: LogWriter = new WorkerChannel(new URL('./log-writer.js', import.meta.url), thread, failed);
  try {
    const request = { topics: options.topics, epoch: randomUUID(), maxBytes: options.maxBytes ?? 0 };
    const opened = (await writer.call({ op: 'open', ...request })) as OpenedLog;
    const reader: LogReader = new WorkerChannel(new URL('./log-reader.js', import.meta.url), thread, failed);
    opening = false;
    return new SqliteEventLog(options.topics, opened, writer, reader, limits);
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

type Limits = Record<keyof typeof EVENT_LOG_LIMITS, number>;

class SqliteEventLog implements EmbeddedEventLog {
  readonly #topics: ReadonlyMap<string, TopicSpec>;
  readonly #states = new Map<string, PartitionState[]>();
  readonly #committed = new Map<string, Map<PartitionState, number>>();
  readonly #groups = new Map<string, ConsumerGroup>();
  readonly #tails = new Set<Tail>();
  readonly #writer: LogWriter;
  readonly #reader: LogReader;
  readonly #flusher: Flusher;
  readonly #limits: Limits;
  readonly #epoch: string;
  readonly #volatileEpoch = randomUUID();
  #closing: Promise<void> | undefined;

  constructor(
    topics: readonly TopicSpec[],
    opened: OpenedLog,
    writer: LogWriter,
    reader: LogReader,
    limits: Limits,
  ) {
    this.#topics = new Map(topics.map((topic) => [topic.name, topic]));
    this.#epoch = opened.epoch;
    this.#writer = writer;
    this.#reader = reader;
    this.#limits = limits;
    this.#flusher = new Flusher(writer, limits.unflushedBytes);
    const cache = new WindowSet({ bytes: limits.tailCacheBytes, records: limits.tailCacheRecords });
    for (const topic of topics) this.#states.set(topic.name, this.#open(topic, opened, cache));
    this.#restoreOffsets(opened);
    for (const states of this.#states.values()) for (const state of states) this.#compact(state);
  }

  #open(topic: TopicSpec, opened: OpenedLog, cache: WindowSet): PartitionState[] {
    if (topic.retention === 'volatile') {
      const bound: WindowLimits = {
        bytes: this.#limits.volatileBytes,
        records: this.#limits.volatileRecords,
      };
      const ring = new WindowSet(bound);
      const numbers = Array.from({ length: topic.partitions }, (_, partition) => partition);
      return numbers.map((partition) => new PartitionState(topic.name, partition, undefined, 0, ring));
    }
    const found = opened.partitions.filter((partition) => partition.topic === topic.name);
    return found.map(
      ({ partition, slot, end }) => new PartitionState(topic.name, partition, slot, end, cache),
    );
  }

  #restoreOffsets(opened: OpenedLog): void {
    const bySlot = new Map<number, PartitionState>();
    for (const states of this.#states.values())
      for (const state of states) if (state.slot !== undefined) bySlot.set(state.slot, state);
    for (const { group, slot, next } of opened.offsets) {
      const state = bySlot.get(slot);
      if (state !== undefined) this.#offsetsOf(group).set(state, next);
    }
  }

  async append(topic: string, records: readonly LogRecord[]): Promise<Position[]> {
    this.#assertOpen();
    const states = this.#statesOf(topic);
    const partitions = records.map((record) => {
      assertSize(record);
      return states[partitionOf(record.key, states.length)]!;
    });
    if (records.length === 0) return [];
    if (this.#topics.get(topic)!.retention === 'volatile') return publishVolatile(records, partitions);
    const positions = await this.#flusher.append(records, partitions);
    for (const state of new Set(partitions)) this.#countForCompaction(state, records.length);
    return positions;
  }

  consume(
    topics: readonly string[],
    group: string,
    handler: Handler,
    options: ConsumeOptions = {},
  ): Promise<Subscription> {
    this.#assertOpen();
    const states = topics.flatMap((topic) => this.#statesOf(topic));
    let members = this.#groups.get(group);
    if (members === undefined) this.#groups.set(group, (members = this.#newGroup(group)));
    return Promise.resolve(members.join(states, handler, options.maxRecords ?? this.#limits.batchRecords));
  }

  async *read(topic: string, partition: number, from: number, to?: number): AsyncIterable<RecordBatch> {
    const state = this.#stateOf(topic, partition);
    const end = Math.min(to ?? state.end, state.end);
    const cursor = new PartitionCursor(state, this.#reader, from);
    while (cursor.position < end) {
      this.#assertOpen();
      const records = await cursor.peek(this.#limits.batchRecords, end);
      if (records.length === 0) continue;
      cursor.moveTo(records.at(-1)!.offset + 1);
      yield { topic, partition, records };
    }
  }

  tail(
    topic: string,
    from: ReadonlyMap<number, number> | 'end',
    onBatch: (batch: RecordBatch) => void,
  ): Promise<Subscription> {
    this.#assertOpen();
    const positions = new Map<PartitionState, number>();
    for (const state of this.#statesOf(topic)) {
      const wanted = from === 'end' ? undefined : from.get(state.partition);
      positions.set(state, Math.min(wanted ?? state.end, state.end));
    }
    const tail = new Tail(this.#reader, positions, onBatch, () => this.#tails.delete(tail));
    this.#tails.add(tail);
    tail.start();
    return Promise.resolve(tail);
  }

  bounds(topic: string): Promise<{ partition: number; start: number; end: number }[]> {
    const states = this.#statesOf(topic);
    return Promise.resolve(states.map(({ partition, start, end }) => ({ partition, start, end })));
  }

  committed(topic: string, group: string): Promise<ReadonlyMap<number, number>> {
    const found = new Map<number, number>();
    for (const [state, next] of this.#committed.get(group) ?? [])
      if (state.topic === topic) found.set(state.partition, next);
    return Promise.resolve(found);
  }

  epoch(topic: string): string {
    const spec = this.#topics.get(topic);
    if (spec === undefined) throw new Error(`unknown topic ${topic}`);
    return spec.retention === 'volatile' ? this.#volatileEpoch : this.#epoch;
  }

  async limitBytes(maxBytes: number): Promise<void> {
    await this.#writer.call({ op: 'limit', maxBytes: Math.min(maxBytes, NO_LIMIT_BYTES) });
  }

  unflushedBytes(): number {
    return this.#flusher.unflushedBytes;
  }

  /** Makes durable what was appended; ends subscriptions without waiting for handlers (stop them first). */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    for (const group of this.#groups.values()) group.close();
    for (const tail of this.#tails) void tail.stop();
    try {
      await this.#flusher.drain();
    } finally {
      await this.#reader.end({ op: 'end' });
      await this.#writer.end({ op: 'end' });
    }
  }

  #newGroup(group: string): ConsumerGroup {
    const offsets = this.#offsetsOf(group);
    return new ConsumerGroup({
      reader: this.#reader,
      committed: (state) => offsets.get(state),
      commit: (state, next) => {
        offsets.set(state, next);
        if (state.slot !== undefined) this.#flusher.commit({ group, slot: state.slot, next });
      },
      settle: () => this.#flusher.drain(),
    });
  }

  #offsetsOf(group: string): Map<PartitionState, number> {
    let offsets = this.#committed.get(group);
    if (offsets === undefined) this.#committed.set(group, (offsets = new Map()));
    return offsets;
  }

  #countForCompaction(state: PartitionState, records: number): void {
    state.sinceCompaction += records;
    if (state.sinceCompaction >= this.#limits.compactionRecords) this.#compact(state);
  }

  #compact(state: PartitionState): void {
    state.sinceCompaction = 0;
    if (this.#topics.get(state.topic)?.retention !== 'compacted' || state.slot === undefined) return;
    // A full disk leaves the partition as it is until the next time; anything else is fatal in the channel.
    this.#writer.call({ op: 'compact', slot: state.slot }).catch(() => undefined);
  }

  #statesOf(topic: string): PartitionState[] {
    const states = this.#states.get(topic);
    if (states === undefined) throw new Error(`unknown topic ${topic}`);
    return states;
  }

  #stateOf(topic: string, partition: number): PartitionState {
    const state = this.#statesOf(topic)[partition];
    if (state === undefined) throw new Error(`topic ${topic} has no partition ${partition}`);
    return state;
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new Error('the event log is closed');
  }
}

function assertSize(record: LogRecord): void {
  if (record.body.byteLength > LIMITS.logRecordBytes)
    throw new RangeError(`a record of the log has more than ${LIMITS.logRecordBytes} bytes`);
  if (Buffer.byteLength(record.key) > NAME_BYTES || Buffer.byteLength(record.id) > NAME_BYTES)
    throw new RangeError(`key or id of a record has more than ${NAME_BYTES} bytes`);
}

function publishVolatile(records: readonly LogRecord[], partitions: readonly PartitionState[]): Position[] {
  return records.map(({ key, id, body }, index) => {
    const state = partitions[index]!;
    const position = { partition: state.partition, offset: state.end };
    state.publish([{ key, id, body, ...position }]);
    return position;
  });
}
