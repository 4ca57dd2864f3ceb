import { randomUUID } from 'node:crypto';
import { partitionOf } from '@sentinel-node/contracts';
import type { ConsumeOptions, LogRecord, Position, RecordBatch } from '../../ports/event-log.ts';
import type { Subscription, TailSubscription, TopicSpec } from '../../ports/event-log.ts';
import { ShortReadError } from '../../ports/errors.ts';
import { assertSize, publishVolatile } from './append.ts';
import { PartitionCursor } from './cursor.ts';
import type { LogReader } from './cursor.ts';
import type { EmbeddedEventLog, EventLogLimits } from './event-log-options.ts';
import { Flusher } from './flusher.ts';
import type { LogWriter } from './flusher.ts';
import { ConsumerGroup } from './group.ts';
import type { Handler } from './group.ts';
import type { OpenedLog } from './log-protocol.ts';
import { PartitionState } from './partition.ts';
import { Tail } from './tail.ts';
import { WindowSet } from './window.ts';
import type { WindowLimits } from './window.ts';

/**
 * Connects flusher, cursors, groups and tails with the two threads of one file.
 * @boundedBy the topics and consumers of the process
 */
export class SqliteEventLog implements EmbeddedEventLog {
  readonly #topics: ReadonlyMap<string, TopicSpec>;
  readonly #states = new Map<string, PartitionState[]>();
  readonly #committed = new Map<string, Map<PartitionState, number>>();
  readonly #groups = new Map<string, ConsumerGroup>();
  readonly #tails = new Set<Tail>();
  readonly #writer: LogWriter;
  readonly #reader: LogReader;
  readonly #flusher: Flusher;
  readonly #limits: EventLogLimits;
  readonly #epoch: string;
  readonly #volatileEpoch = randomUUID();
  #closing: Promise<void> | undefined;

  constructor(
    topics: readonly TopicSpec[],
    opened: OpenedLog,
    writer: LogWriter,
    reader: LogReader,
    limits: EventLogLimits,
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
      return numbers.map((partition) => new PartitionState(topic, partition, undefined, 0, ring));
    }
    const found = opened.partitions.filter((partition) => partition.topic === topic.name);
    return found.map(({ partition, slot, end }) => new PartitionState(topic, partition, slot, end, cache));
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
    const { retention } = this.#topics.get(topic)!;
    if (retention === 'volatile') return publishVolatile(records, partitions);
    const positions = await this.#flusher.append(records, partitions);
    if (retention === 'compacted') for (const state of partitions) this.#countForCompaction(state);
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
    if (to !== undefined && end < to && from < to)
      throw ShortReadError.at(topic, partition, Math.max(from, end), to, state.end);
  }

  tail(
    topic: string,
    from: ReadonlyMap<number, number> | 'end',
    onBatch: (batch: RecordBatch) => void,
  ): Promise<TailSubscription> {
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
    await this.#writer.call({ op: 'limit', maxBytes: maxBytes });
  }

  unflushedBytes(): number {
    return this.#flusher.unflushedBytes;
  }

  isFull(): boolean {
    return this.#flusher.isFull;
  }

  /** Makes all appends durable and ends subscriptions without waiting for handlers (stop the subscriptions first). */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    for (const group of this.#groups.values()) group.close();
    for (const tail of this.#tails) void tail.stop();
    try {
      await this.#flusher.close();
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
      settle: () => this.#flusher.settle(),
      handoverMs: this.#limits.handoverMs,
    });
  }

  #offsetsOf(group: string): Map<PartitionState, number> {
    let offsets = this.#committed.get(group);
    if (offsets === undefined) this.#committed.set(group, (offsets = new Map()));
    return offsets;
  }

  #countForCompaction(state: PartitionState): void {
    state.sinceCompaction += 1;
    if (state.sinceCompaction >= this.#limits.compactionRecords) this.#compact(state);
  }

  #compact(state: PartitionState): void {
    state.sinceCompaction = 0;
    if (this.#topics.get(state.topic)?.retention !== 'compacted' || state.slot === undefined) return;
    // A full disk leaves the partition as it is until the next compaction; any other error is fatal in the channel.
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
