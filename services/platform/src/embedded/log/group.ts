import type { RecordBatch, Subscription } from '../../ports/event-log.ts';
import { PartitionCursor } from './cursor.ts';
import type { LogReader } from './cursor.ts';
import type { PartitionState } from './partition.ts';
import { failure } from '../../ports/failure.ts';

export type Handler = (batch: RecordBatch) => Promise<void>;

interface Member {
  readonly topics: ReadonlySet<string>;
  readonly handler: Handler;
  readonly maxRecords: number;
  readonly running: Set<Promise<void>>;
  readonly fail: (error: unknown) => void;
}

interface GroupPartition {
  readonly state: PartitionState;
  readonly cursor: PartitionCursor;
  busy: boolean;
}

export interface GroupOptions {
  readonly reader: LogReader;
  /** Committed next offset to begin at; undefined: never committed. */
  readonly committed: (state: PartitionState) => number | undefined;
  readonly commit: (state: PartitionState, next: number) => void;
  /** Resolves when commits made so far are durable. */
  readonly settle: () => Promise<void>;
}

/**
 * Members of one group in this process. Partition p of a topic belongs to member p mod n of those that take the topic;
 * each batch goes to the owner of the moment, so a partition changes hands only between batches.
 */
export class ConsumerGroup {
  readonly #options: GroupOptions;
  readonly #partitions = new Map<PartitionState, GroupPartition>();
  #members: Member[] = [];
  #closed = false;

  constructor(options: GroupOptions) {
    this.#options = options;
  }

  join(states: readonly PartitionState[], handler: Handler, maxRecords: number): Subscription {
    const { failed, fail } = failure();
    const topics = new Set(states.map((state) => state.topic));
    const member: Member = { topics, handler, maxRecords, running: new Set(), fail };
    this.#members.push(member);
    for (const state of states) this.#follow(state);
    this.#wakeAll();
    return { failed, stop: () => this.#leave(member) };
  }

  /** Nothing more is delivered or committed; running handlers are left alone. */
  close(): void {
    this.#closed = true;
    this.#members = [];
  }

  async #leave(member: Member): Promise<void> {
    this.#remove(member);
    await Promise.allSettled(member.running);
    if (!this.#closed) await this.#options.settle();
  }

  #remove(member: Member): void {
    this.#members = this.#members.filter((other) => other !== member);
    this.#wakeAll();
  }

  #follow(state: PartitionState): void {
    if (this.#partitions.has(state)) return;
    const start = this.#options.committed(state) ?? 0;
    const partition = { state, cursor: new PartitionCursor(state, this.#options.reader, start), busy: false };
    this.#partitions.set(state, partition);
    state.onPublish(() => this.#wake(partition));
  }

  #wakeAll(): void {
    for (const partition of this.#partitions.values()) this.#wake(partition);
  }

  #wake(partition: GroupPartition): void {
    if (partition.busy || this.#owner(partition) === undefined) return;
    partition.busy = true;
    // The reader's failures are the process's end (WorkerChannel); nothing is left to do for them here.
    this.#drain(partition).catch(() => undefined);
  }

  #owner(partition: GroupPartition): Member | undefined {
    const candidates = this.#members.filter((member) => member.topics.has(partition.state.topic));
    return candidates[partition.state.partition % candidates.length];
  }

  async #drain(partition: GroupPartition): Promise<void> {
    const { cursor, state } = partition;
    try {
      for (;;) {
        const member = this.#owner(partition);
        if (member === undefined) return;
        const records = await cursor.peek(member.maxRecords);
        if (records.length === 0 && cursor.position >= state.end) return;
        if (records.length === 0 || this.#owner(partition) !== member) continue;
        const batch = { topic: state.topic, partition: state.partition, records };
        await this.#deliver(partition, member, batch);
        // A handler that never waits must not keep the event loop for itself.
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      partition.busy = false;
    }
  }

  async #deliver(partition: GroupPartition, member: Member, batch: RecordBatch): Promise<void> {
    const running = (async () => member.handler(batch))();
    member.running.add(running);
    try {
      await running;
    } catch (error) {
      this.#remove(member);
      member.fail(error);
      return;
    } finally {
      member.running.delete(running);
    }
    if (this.#closed) return;
    const next = batch.records.at(-1)!.offset + 1;
    partition.cursor.moveTo(next);
    this.#options.commit(partition.state, next);
  }
}
