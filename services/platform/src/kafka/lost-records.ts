import { createRequire } from 'node:module';
import type { Batch } from 'kafkajs';
import type { TopicSpec } from '../ports/event-log.ts';
import { LogStartLostError } from '../ports/errors.ts';
import { LogEndLostError } from './errors.ts';
import type { FetchedMessage } from './fetched-messages.ts';
import { assertWhole } from './whole-records.ts';

/**
 * Replaces kafkajs's own answer to a position that the broker does not have: kafkajs commits the start of the log in its
 * place and goes on there. A position beyond the end means that the log lost records which the group has finished, and
 * that new records have their offsets: readers that compare offsets would skip them. A position before the start, and no
 * position where the log does not begin at 0, mean that the log lost records which the group has not had: it would never
 * judge them. kafkajs is pinned to 2.2.4; `kafka-positions.test` fails when another version does this differently.
 */
const requireInner = createRequire(import.meta.url);
const ConsumerGroup = requireInner('kafkajs/src/consumer/consumerGroup') as { prototype: InnerGroup };
const OffsetManager = requireInner('kafkajs/src/consumer/offsetManager') as { prototype: InnerOffsets };

interface TopicPlaces {
  readonly topic: string;
  readonly partitions: readonly { readonly partition: number }[];
}
interface TopicOffsets {
  readonly topic: string;
  readonly partitions: readonly { readonly partition: number; readonly offset: string }[];
}

interface InnerCluster {
  fetchTopicsOffset(
    topics: readonly (TopicPlaces & { readonly fromBeginning: boolean })[],
  ): Promise<readonly TopicOffsets[]>;
}

interface InnerOffsets {
  readonly groupId: string;
  readonly cluster: InnerCluster;
  readonly memberAssignment: Readonly<Record<string, readonly number[]>>;
  nextOffset(topic: string, partition: number): { toString(): string };
  committedOffsets(): Readonly<Record<string, Readonly<Record<number, string | undefined>>>>;
  getCoordinator(): Promise<{
    offsetFetch(wanted: {
      readonly groupId: string;
      readonly topics: readonly TopicPlaces[];
    }): Promise<{ readonly responses: readonly TopicOffsets[] }>;
  }>;
  /** Gets the group's positions of partitions of which this consumer knows none; the start of the log where there is none. */
  resolveOffsets(): Promise<void>;
}

interface InnerGroup {
  readonly groupId: string;
  readonly preferredReadReplicasPerTopicPartition: Readonly<
    Record<string, Readonly<Record<number, unknown>> | undefined>
  >;
  readonly offsetManager: InnerOffsets;
  readonly cluster: InnerCluster;
  recoverFromOffsetOutOfRange(error: Place): Promise<void>;
}
interface Place {
  readonly topic: string;
  readonly partition: number;
}

/** @boundedBy the topics of the process */
const mayLoseRecords = new Set<string>();
let isReplaced = false;

/**
 * Ends the groups of this thread that are beyond the end of the log, or before its start. Not on topics that are not kept for
 * ever: their first records go, and the brokers may lose their last ones, which nobody compares by their offsets; their
 * groups begin again.
 */
export function refuseLostRecords(topics: readonly TopicSpec[]): void {
  for (const { name, retention } of topics) if (retention !== 'forever') mayLoseRecords.add(name);
  if (isReplaced) return;
  isReplaced = true;
  const { recoverFromOffsetOutOfRange } = ConsumerGroup.prototype;
  ConsumerGroup.prototype.recoverFromOffsetOutOfRange = async function (error) {
    const { topic, partition } = error;
    // A follower may be behind; kafkajs asks the leader then.
    const isOfFollower = typeof this.preferredReadReplicasPerTopicPartition[topic]?.[partition] === 'number';
    if (!isOfFollower && !mayLoseRecords.has(topic)) await refuse(this, error);
    await recoverFromOffsetOutOfRange.call(this, error);
  };
  const { resolveOffsets } = OffsetManager.prototype;
  OffsetManager.prototype.resolveOffsets = async function () {
    await refuseLateStarts(this);
    await resolveOffsets.call(this);
  };
}

/** kafkajs's batch, with parts that its types leave out. */
type InnerBatch = Batch & {
  /** Position of the group for which the records were fetched. */
  readonly fetchedOffset: string;
  /** Control records, too, from the position on. */
  readonly messagesWithinOffset: readonly FetchedMessage[];
};

/** Checks that the topic has all records from the group's position on, where it is kept for ever. @throws LogHoleError */
export function refuseHole(batch: Batch, group: string): void {
  const { fetchedOffset, messagesWithinOffset, partition, topic } = batch as InnerBatch;
  if (mayLoseRecords.has(topic)) return;
  assertWhole(messagesWithinOffset, { topic, partition, reader: group, from: Number(fetchedOffset) });
}

/** @throws LogEndLostError, LogStartLostError */
async function refuse({ cluster, groupId, offsetManager }: InnerGroup, place: Place): Promise<never> {
  const { topic, partition } = place;
  const position = offsetManager.nextOffset(topic, partition).toString();
  // Compared with the start: the end that a new leader names at first may be lower than its last record.
  const start = await boundOf(cluster, place, true);
  if (BigInt(position) < start)
    throw LogStartLostError.before({ topic, partition, start: Number(start) }, groupId, Number(position));
  throw new LogEndLostError(
    topic,
    partition,
    String(await boundOf(cluster, place, false)),
    groupId,
    position,
  );
}

/** Checks that partitions in which the group has no position begin at 0. @throws LogStartLostError */
async function refuseLateStarts(offsets: InnerOffsets): Promise<void> {
  const { cluster, groupId, memberAssignment } = offsets;
  const known = offsets.committedOffsets();
  const unknown = Object.entries(memberAssignment)
    .filter(([topic]) => !mayLoseRecords.has(topic))
    .map(([topic, numbers]) => ({
      topic,
      partitions: numbers.filter((n) => known[topic]?.[n] === undefined).map((partition) => ({ partition })),
    }))
    .filter(({ partitions }) => partitions.length > 0);
  if (unknown.length === 0) return;
  const coordinator = await offsets.getCoordinator();
  const { responses } = await coordinator.offsetFetch({ groupId, topics: unknown });
  const without = responses
    .map(({ topic, partitions }) => ({
      topic,
      partitions: partitions
        .filter(({ offset }) => BigInt(offset) < 0n)
        .map(({ partition }) => ({ partition })),
      fromBeginning: true,
    }))
    .filter(({ partitions }) => partitions.length > 0);
  if (without.length === 0) return;
  for (const { topic, partitions } of await cluster.fetchTopicsOffset(without))
    for (const { partition, offset } of partitions)
      if (BigInt(offset) > 0n)
        throw LogStartLostError.before({ topic, partition, start: Number(offset) }, groupId, 0);
}

async function boundOf(
  cluster: InnerCluster,
  { topic, partition }: Place,
  fromBeginning: boolean,
): Promise<bigint> {
  const [found] = await cluster.fetchTopicsOffset([{ topic, partitions: [{ partition }], fromBeginning }]);
  return BigInt(found!.partitions[0]!.offset);
}
