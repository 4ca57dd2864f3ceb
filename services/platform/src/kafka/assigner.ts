import kafkajs from 'kafkajs';
import type { Assignment, GroupMember, PartitionAssigner } from 'kafkajs';

const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol;
const NAME = 'SentinelByPartitionNumber';
const VERSION = 1;
const NO_DATA = Buffer.alloc(0);

/**
 * Assigns partition p of a topic to member p mod n of the topic's n consumers, so that equal partitions of topics with
 * the same number of partitions belong to one member. (kafkajs's own assigner gives the leader's topics to all members,
 * even to members that do not consume them, as during a change of versions.)
 */
export const byPartitionNumber: PartitionAssigner = ({ cluster }) => ({
  name: NAME,
  version: VERSION,
  protocol: ({ topics }) => ({
    name: NAME,
    metadata: MemberMetadata.encode({ version: VERSION, topics, userData: NO_DATA }),
  }),
  async assign({ members }) {
    const subscribed = members.map(({ memberId, memberMetadata }) => ({
      memberId,
      topics: MemberMetadata.decode(memberMetadata)?.topics ?? [],
    }));
    const topics = new Set(subscribed.flatMap((member) => member.topics));
    // The leader knows only its own topics.
    for (const topic of topics) await cluster.addTargetTopic(topic);
    const partitions = new Map(
      [...topics].map((topic) => [
        topic,
        cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId),
      ]),
    );
    const shares = share(subscribed, partitions);
    return members.map(({ memberId }) => ({
      memberId,
      memberAssignment: MemberAssignment.encode({
        version: VERSION,
        assignment: shares.get(memberId) ?? {},
        userData: NO_DATA,
      }),
    }));
  },
});

type Subscribed = { readonly memberId: GroupMember['memberId']; readonly topics: readonly string[] };

/** Returns the partitions of each member. Pure. */
export function share(
  members: readonly Subscribed[],
  partitions: ReadonlyMap<string, readonly number[]>,
): Map<string, Assignment> {
  const sorted = [...members].sort((a, b) => (a.memberId < b.memberId ? -1 : 1));
  const shares = new Map<string, Record<string, number[]>>(sorted.map(({ memberId }) => [memberId, {}]));
  for (const [topic, numbers] of partitions) {
    const takers = sorted.filter(({ topics }) => topics.includes(topic));
    for (const number of numbers) {
      const taker = takers[number % takers.length];
      if (taker !== undefined) (shares.get(taker.memberId)![topic] ??= []).push(number);
    }
  }
  return shares;
}
