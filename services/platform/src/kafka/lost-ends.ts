import { createRequire } from 'node:module';
import type { TopicSpec } from '../ports/event-log.ts';
import { LogEndLostError } from './errors.ts';

/**
 * Replaces kafkajs's own answer to a position that the broker does not have: kafkajs commits the start of the log in its
 * place and reads everything again. A position beyond the end means that the log lost records which the group has
 * finished, and that new records have their offsets: readers that compare offsets would skip them. kafkajs is pinned to
 * 2.2.4; `kafka-positions.test` fails when another version does this differently.
 */
const requireInner = createRequire(import.meta.url);
const ConsumerGroup = requireInner('kafkajs/src/consumer/consumerGroup') as { prototype: InnerGroup };

interface InnerGroup {
  readonly groupId: string;
  readonly preferredReadReplicasPerTopicPartition: Readonly<
    Record<string, Readonly<Record<number, unknown>> | undefined>
  >;
  readonly offsetManager: { nextOffset(topic: string, partition: number): { toString(): string } };
  readonly cluster: {
    fetchTopicsOffset(
      topics: readonly {
        readonly topic: string;
        readonly partitions: readonly { readonly partition: number }[];
        readonly fromBeginning: boolean;
      }[],
    ): Promise<readonly { readonly partitions: readonly { readonly offset: string }[] }[]>;
  };
  recoverFromOffsetOutOfRange(error: Place): Promise<void>;
}
interface Place {
  readonly topic: string;
  readonly partition: number;
}

/** @boundedBy the topics of the process */
const mayLoseTheirEnd = new Set<string>();
let isReplaced = false;

/**
 * Ends the groups of this thread that are beyond the end of the log. Not on topics that are not kept for ever: the brokers may lose
 * their last records, which nobody compares by their offsets, and their groups begin again.
 */
export function refuseLostEnds(topics: readonly TopicSpec[]): void {
  for (const { name, retention } of topics) if (retention !== 'forever') mayLoseTheirEnd.add(name);
  if (isReplaced) return;
  isReplaced = true;
  const { recoverFromOffsetOutOfRange } = ConsumerGroup.prototype;
  ConsumerGroup.prototype.recoverFromOffsetOutOfRange = async function (error) {
    const { topic, partition } = error;
    const position = this.offsetManager.nextOffset(topic, partition).toString();
    // A follower may be behind; kafkajs asks the leader then.
    const isOfFollower = typeof this.preferredReadReplicasPerTopicPartition[topic]?.[partition] === 'number';
    // Compared with the start: the end that a new leader names at first may be lower than its last record.
    if (
      !isOfFollower &&
      !mayLoseTheirEnd.has(topic) &&
      BigInt(position) >= (await boundOf(this, error, true))
    )
      throw new LogEndLostError(
        topic,
        partition,
        String(await boundOf(this, error, false)),
        this.groupId,
        position,
      );
    await recoverFromOffsetOutOfRange.call(this, error);
  };
}

async function boundOf(
  { cluster }: InnerGroup,
  { topic, partition }: Place,
  fromBeginning: boolean,
): Promise<bigint> {
  const [found] = await cluster.fetchTopicsOffset([{ topic, partitions: [{ partition }], fromBeginning }]);
  return BigInt(found!.partitions[0]!.offset);
}
