import type { RecordBatch, StoredRecord, Subscription } from '../../ports/event-log.ts';
import { PartitionCursor } from './cursor.ts';
import type { LogReader } from './cursor.ts';
import type { PartitionState } from './partition.ts';
import { failureSignal } from '../../ports/failure.ts';

export type Handler = (batch: RecordBatch) => Promise<void>;

interface Member {
  readonly topics: ReadonlySet<string>;
  readonly handler: Handler;
  readonly maxRecords: number;
  readonly running: Set<Promise<void>>;
  readonly fail: (error: unknown) => void;
}

/** Delivers batches of one partition, one after the other, until none is left or another run replaces this one. */
interface Run {
  /** The member that is handling a batch now, and the group's generation at delivery. */
  member?: Member;
  generation: number;
  /**
   * Timer that ends the run when a member does not finish its batch after the partition was assigned to another
   * member.
   */
  handover?: NodeJS.Timeout;
}

interface GroupPartition {
  readonly state: PartitionState;
  readonly cursor: PartitionCursor;
  run: Run | undefined;
  /** Commits of generations before this one are refused. */
  fence: number;
}

export interface GroupOptions {
  readonly reader: LogReader;
  /** Returns the committed offset of the next record; undefined when the group never committed. */
  readonly committed: (state: PartitionState) => number | undefined;
  readonly commit: (state: PartitionState, next: number) => void;
  /** Resolves when all commits made so far are durable. */
  readonly settle: () => Promise<void>;
  /** Milliseconds that a member may keep a batch after its partition was assigned to another member. */
  readonly handoverMs: number;
}

/**
 * Members of one group in this process. Partition p of a topic belongs to member p mod n of the topic's n consumers;
 * every join or leave begins a new generation. A partition changes its member between batches. If the old member does
 * not finish within `handoverMs`, the new owner gets the batch, and the old member's commit is refused by its
 * generation.
 * @boundedBy the partitions and members of a group
 */
export class ConsumerGroup {
  readonly #options: GroupOptions;
  readonly #partitions = new Map<PartitionState, GroupPartition>();
  #members: Member[] = [];
  #generation = 0;
  #closed = false;

  constructor(options: GroupOptions) {
    this.#options = options;
  }

  join(states: readonly PartitionState[], handler: Handler, maxRecords: number): Subscription {
    const { failed, fail } = failureSignal();
    const topics = new Set(states.map((state) => state.topic));
    const member: Member = { topics, handler, maxRecords, running: new Set(), fail };
    for (const state of states) this.#follow(state);
    this.#share([...this.#members, member]);
    return { failed, stop: () => this.#leave(member) };
  }

  /** Ends all deliveries and commits; running handlers continue. */
  close(): void {
    this.#closed = true;
    this.#share([]);
  }

  async #leave(member: Member): Promise<void> {
    this.#remove(member);
    await Promise.allSettled(member.running);
    if (!this.#closed) await this.#options.settle();
  }

  #remove(member: Member): void {
    this.#share(this.#members.filter((other) => other !== member));
  }

  #follow(state: PartitionState): void {
    if (this.#partitions.has(state)) return;
    const start = this.#options.committed(state) ?? 0;
    const cursor = new PartitionCursor(state, this.#options.reader, start);
    const partition: GroupPartition = { state, cursor, run: undefined, fence: 0 };
    this.#partitions.set(state, partition);
    state.onPublish(() => this.#wake(partition));
  }

  /** Begins a new generation with these members. */
  #share(members: Member[]): void {
    this.#members = members;
    this.#generation++;
    for (const partition of this.#partitions.values()) {
      this.#watch(partition);
      this.#wake(partition);
    }
  }

  /** Starts the handover timer if a member is handling a batch of a partition that now belongs to another member. */
  #watch(partition: GroupPartition): void {
    const { run } = partition;
    if (run?.member === undefined) return;
    const owner = this.#owner(partition);
    if (owner === undefined || owner === run.member) {
      clearTimeout(run.handover);
      delete run.handover;
    } else run.handover ??= setTimeout(() => this.#takeOver(partition), this.#options.handoverMs).unref();
  }

  #takeOver(partition: GroupPartition): void {
    partition.fence = this.#generation;
    partition.run = undefined;
    this.#wake(partition);
  }

  #wake(partition: GroupPartition): void {
    if (partition.run !== undefined || this.#owner(partition) === undefined) return;
    partition.run = { generation: this.#generation };
    // Never rejects: what cannot be read or handled fails the member.
    void this.#drain(partition, partition.run);
  }

  #owner(partition: GroupPartition): Member | undefined {
    const candidates = this.#members.filter((member) => member.topics.has(partition.state.topic));
    return candidates[partition.state.partition % candidates.length];
  }

  async #drain(partition: GroupPartition, run: Run): Promise<void> {
    const { cursor, state } = partition;
    try {
      while (partition.run === run) {
        const member = this.#owner(partition);
        if (member === undefined) return;
        const records = await this.#peek(cursor, member);
        if (records === undefined) continue;
        if (records.length === 0 && cursor.position >= state.end) return;
        if (records.length === 0 || this.#owner(partition) !== member) continue;
        const batch = { topic: state.topic, partition: state.partition, records };
        await this.#deliver(partition, run, member, batch);
        // Gives the event loop a turn, also when a handler never waits.
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      if (partition.run === run) partition.run = undefined;
    }
  }

  /** Returns the next records; undefined after a row that cannot be read, which fails the member. */
  async #peek(cursor: PartitionCursor, member: Member): Promise<StoredRecord[] | undefined> {
    try {
      return await cursor.peek(member.maxRecords);
    } catch (error) {
      this.#failMember(member, error);
      return undefined;
    }
  }

  #failMember(member: Member, error: unknown): void {
    this.#remove(member);
    member.fail(error);
  }

  async #deliver(partition: GroupPartition, run: Run, member: Member, batch: RecordBatch): Promise<void> {
    run.member = member;
    run.generation = this.#generation;
    const running = (async () => member.handler(batch))();
    member.running.add(running);
    try {
      await running;
    } catch (error) {
      this.#failMember(member, error);
      return;
    } finally {
      member.running.delete(running);
      clearTimeout(run.handover);
      delete run.handover;
      delete run.member;
    }
    this.#commit(partition, run.generation, batch.records.at(-1)!.offset + 1);
  }

  /** Commits the batch, unless the partition was taken over since the delivery. */
  #commit(partition: GroupPartition, generation: number, next: number): void {
    if (this.#closed || generation < partition.fence) return;
    partition.cursor.moveTo(next);
    this.#options.commit(partition.state, next);
  }
}
