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

/** Hands batches of one partition out, one after the other, until there are none or another run takes its place. */
interface Run {
  /** Who has the batch that is out now, and the group's generation when it was handed out. */
  member?: Member;
  generation: number;
  /** Ends the run unless the batch comes back in time: the partition belongs to another member. */
  handover?: NodeJS.Timeout;
}

interface GroupPartition {
  readonly state: PartitionState;
  readonly cursor: PartitionCursor;
  run: Run | undefined;
  /** Commits of earlier generations are refused. */
  fence: number;
}

export interface GroupOptions {
  readonly reader: LogReader;
  /** Committed next offset to begin at; undefined: never committed. */
  readonly committed: (state: PartitionState) => number | undefined;
  readonly commit: (state: PartitionState, next: number) => void;
  /** Resolves when commits made so far are durable. */
  readonly settle: () => Promise<void>;
  /** How long a member may keep a batch of a partition that belongs to another one by now, in milliseconds. */
  readonly handoverMs: number;
}

/**
 * Members of one group in this process. Partition p of a topic belongs to member p mod n of those that take the topic;
 * whoever joins or leaves begins a new generation. A partition changes hands between batches; from a member that stalls
 * it is taken after `handoverMs`, its batch goes to the new owner, and what the old one commits of it is refused by its
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
    const { failed, fail } = failure();
    const topics = new Set(states.map((state) => state.topic));
    const member: Member = { topics, handler, maxRecords, running: new Set(), fail };
    for (const state of states) this.#follow(state);
    this.#share([...this.#members, member]);
    return { failed, stop: () => this.#leave(member) };
  }

  /** Nothing more is delivered or committed; running handlers are left alone. */
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

  /** A new generation. */
  #share(members: Member[]): void {
    this.#members = members;
    this.#generation++;
    for (const partition of this.#partitions.values()) {
      this.#watch(partition);
      this.#wake(partition);
    }
  }

  /** The batch that is out has to come back in time if the partition is another member's by now. */
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
    // The reader's failures are the process's end (WorkerChannel); nothing is left to do for them here.
    this.#drain(partition, partition.run).catch(() => undefined);
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
        const records = await cursor.peek(member.maxRecords);
        if (records.length === 0 && cursor.position >= state.end) return;
        if (records.length === 0 || this.#owner(partition) !== member) continue;
        const batch = { topic: state.topic, partition: state.partition, records };
        await this.#deliver(partition, run, member, batch);
        // A handler that never waits must not keep the event loop for itself.
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      if (partition.run === run) partition.run = undefined;
    }
  }

  async #deliver(partition: GroupPartition, run: Run, member: Member, batch: RecordBatch): Promise<void> {
    run.member = member;
    run.generation = this.#generation;
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
      clearTimeout(run.handover);
      delete run.handover;
      delete run.member;
    }
    this.#commit(partition, run.generation, batch.records.at(-1)!.offset + 1);
  }

  /** Refused when the partition was taken over since the batch was handed out. */
  #commit(partition: GroupPartition, generation: number, next: number): void {
    if (this.#closed || generation < partition.fence) return;
    partition.cursor.moveTo(next);
    this.#options.commit(partition.state, next);
  }
}
