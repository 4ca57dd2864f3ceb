import { partitionOf } from '@sentinel-node/contracts';
import { NotDurableError } from '../ports/errors.ts';
import type { ConsumeOptions, LogRecord, Position, RecordBatch } from '../ports/event-log.ts';
import type { Subscription, TailSubscription, TopicSpec } from '../ports/event-log.ts';
import { AdminSession } from './admin.ts';
import type { ClientContext } from './client.ts';
import { coordinatorRefusal } from './cluster.ts';
import { GroupMember } from './group-member.ts';
import type { KafkaEventLog } from './kafka-event-log.ts';
import type { Lag } from './lag-gauge.ts';
import { TopicProducer } from './topic-producer.ts';
import type { Budget } from './topic-producer.ts';
import { assertSize } from './message.ts';
import { refuseLostRecords } from './lost-records.ts';
import { Probe } from './probe.ts';
import { RangeReader } from './read.ts';
import { Tail } from './tail.ts';
import { TopicWatch } from './topic-watch.ts';
import type { UnsafeTopics } from './topic-watch.ts';
import { checkTopics } from './topics.ts';

const MS_PER_SECOND = 1_000;

/**
 * Opens the log on existing topics.
 * @throws TopicMissingError, PartitionCountChangedError, LogUnavailableError
 */
export async function openBrokerEventLog(
  context: ClientContext,
  topics: readonly TopicSpec[],
  lag: Lag,
): Promise<KafkaEventLog> {
  const admin = new AdminSession(context);
  const reader = new RangeReader(context, topics);
  const watch = new TopicWatch(context, admin, topics);
  refuseLostRecords(topics);
  try {
    await checkTopics(admin, topics);
    await watch.start();
    const { clusterId } = await admin.call('cluster', [], (client) => client.describeCluster());
    const names = topics.map(({ name }) => name);
    await reader.prepare(names);
    const probe = new Probe(context, names);
    return new BrokerEventLog(context, topics, { admin, reader, probe, watch, lag, epoch: clusterId });
  } catch (error) {
    await Promise.all([admin.close(), reader.close()]);
    await watch.stop();
    throw error;
  }
}

interface Parts {
  readonly admin: AdminSession;
  readonly reader: RangeReader;
  readonly probe: Probe;
  readonly watch: TopicWatch;
  readonly lag: Lag;
  readonly epoch: string;
}

/**
 * Connects producers, group members and readers with one cluster.
 * @boundedBy the topics and consumers of the process
 */
class BrokerEventLog implements KafkaEventLog {
  readonly #context: ClientContext;
  readonly #topics: ReadonlyMap<string, TopicSpec>;
  readonly #parts: Parts;
  readonly #budget: Budget = { used: 0 };
  readonly #producers = new Map<string, TopicProducer>();
  readonly #members = new Set<GroupMember>();
  readonly #tails = new Set<Tail>();
  #closing: Promise<void> | undefined;

  constructor(context: ClientContext, topics: readonly TopicSpec[], parts: Parts) {
    this.#context = context;
    this.#topics = new Map(topics.map((topic) => [topic.name, topic]));
    this.#parts = parts;
  }

  async append(topic: string, records: readonly LogRecord[]): Promise<Position[]> {
    this.#assertOpen();
    const { partitions: count } = this.#spec(topic);
    const partitions = records.map((record) => {
      assertSize(record);
      return partitionOf(record.key, count);
    });
    if (records.length === 0) return [];
    if (this.shortenedTopics().includes(topic))
      throw new NotDurableError(
        `${topic} has lost its end, and readers may have finished the offsets of new records: stop all services, and restore both stores from one moment`,
      );
    let producer = this.#producers.get(topic);
    if (producer === undefined)
      this.#producers.set(topic, (producer = new TopicProducer(this.#context, topic, this.#budget)));
    return producer.append(records, partitions);
  }

  async consume(
    topics: readonly string[],
    group: string,
    handler: (batch: RecordBatch) => Promise<void>,
    options: ConsumeOptions = {},
  ): Promise<Subscription> {
    this.#assertOpen();
    for (const topic of topics) this.#spec(topic);
    const member = new GroupMember(this.#context, {
      topics,
      group,
      handler,
      maxRecords: options.maxRecords ?? this.#context.limits.batchRecords,
      concurrentPartitions: options.concurrentPartitions ?? this.#context.limits.concurrentPartitions,
      onAssigned: (partitions) => this.#parts.lag.assign(group, topics, partitions),
      onLag: (topic, partition, records) => this.#parts.lag.set(group, topic, partition, records),
    });
    this.#members.add(member);
    await member.start();
    return {
      failed: member.failed,
      stop: async () => {
        await member.stop();
        this.#members.delete(member);
      },
    };
  }

  read(topic: string, partition: number, from: number, to?: number): AsyncIterable<RecordBatch> {
    this.#assertOpen();
    if (!(partition < this.#spec(topic).partitions))
      throw new Error(`topic ${topic} has no partition ${partition}`);
    return this.#parts.reader.read(topic, partition, from, to);
  }

  async tail(
    topic: string,
    from: ReadonlyMap<number, number> | 'end',
    onBatch: (batch: RecordBatch) => void,
  ): Promise<TailSubscription> {
    this.#assertOpen();
    const positions = new Map<number, number>();
    for (const { partition, end } of await this.bounds(topic)) {
      const wanted = from === 'end' ? undefined : from.get(partition);
      positions.set(partition, Math.min(wanted ?? end, end));
    }
    const tail = new Tail(this.#context, this.#spec(topic), positions, onBatch);
    this.#tails.add(tail);
    tail.start();
    return {
      failed: tail.failed,
      isFollowing: () => tail.isFollowing(),
      stop: async () => {
        await tail.stop();
        this.#tails.delete(tail);
      },
    };
  }

  async bounds(topic: string): Promise<{ partition: number; start: number; end: number }[]> {
    this.#spec(topic);
    const rights = [{ operation: 'Describe', on: 'topic', names: [topic] }] as const;
    const found = await this.#parts.admin.call('bounds', rights, (admin) => admin.fetchTopicOffsets(topic));
    return found
      .map(({ partition, low, high }) => ({ partition, start: Number(low), end: Number(high) }))
      .sort((a, b) => a.partition - b.partition);
  }

  async committed(topic: string, group: string): Promise<ReadonlyMap<number, number>> {
    this.#spec(topic);
    const rights = [
      { operation: 'Describe', on: 'topic', names: [topic] },
      { operation: 'Describe', on: 'group', names: [group] },
    ] as const;
    const found = await this.#parts.admin.call('committed', rights, async (admin) => {
      try {
        return await admin.fetchOffsets({ groupId: group, topics: [topic] });
      } catch (error) {
        throw await coordinatorRefusal(this.#context, topic, group, error);
      }
    });
    const partitions = found.flatMap((one) => one.partitions);
    return new Map(
      partitions
        .map(({ partition, offset }) => [partition, Number(offset)] as const)
        .filter(([, offset]) => offset >= 0),
    );
  }

  /** Returns the cluster's epoch: a topic's offsets start again only when a person deletes and recreates the topic. */
  epoch(topic: string): string {
    this.#spec(topic);
    return this.#parts.epoch;
  }

  unflushedBytes(): number {
    return this.#budget.used;
  }

  reachable(): boolean {
    return (
      this.#parts.probe.answered && ![...this.#producers.values()].some((producer) => producer.isFailing)
    );
  }

  absentGroups(): readonly string[] {
    return [...new Set([...this.#members].filter(({ isAbsent }) => isAbsent).map(({ group }) => group))];
  }

  unfetchedSeconds(): Readonly<Record<string, number>> {
    const seconds: Record<string, number> = {};
    for (const { group, silentMs } of this.#members)
      seconds[group] = Math.max(seconds[group] ?? 0, Math.floor(silentMs / MS_PER_SECOND));
    return seconds;
  }

  unfetchedGroups(): readonly string[] {
    const { fetchSilenceMs } = this.#context.limits;
    const silent = [...this.#members].filter(({ silentMs }) => silentMs > fetchSilenceMs);
    return [...new Set(silent.map(({ group }) => group))];
  }

  unsafeTopics(): UnsafeTopics {
    return this.#parts.watch.unsafe;
  }

  shortenedTopics(): readonly string[] {
    return this.#parts.watch.shortened;
  }

  /** Makes all appends durable and ends subscriptions without waiting for handlers (stop the subscriptions first). */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await Promise.all([
      ...[...this.#members].map((member) => member.abandon()),
      ...[...this.#tails].map((tail) => tail.stop()),
      ...[...this.#producers.values()].map((producer) => producer.close()),
    ]);
    const { admin, probe, reader, watch } = this.#parts;
    await Promise.all([admin.close(), probe.stop(), reader.close()]);
    await watch.stop();
  }

  #spec(topic: string): TopicSpec {
    const spec = this.#topics.get(topic);
    if (spec === undefined) throw new Error(`unknown topic ${topic}`);
    return spec;
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new Error('the event log is closed');
  }
}
