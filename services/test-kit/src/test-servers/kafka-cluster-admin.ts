/** Moves the leaders of a cluster and finds its controller, for tests. */
import kafkajs from 'kafkajs';
import type { Admin } from 'kafkajs';
import { askBroker, InnerEncoder } from './kafka-inner.ts';

const DESCRIBE_QUORUM = 55;
const METADATA_TOPIC = '__cluster_metadata';
/**
 * Position of the leader, after the header's tags, the error, one topic with its name, and one partition with
 * number and error.
 */
const LEADER_AT_BYTE = 1 + 2 + 1 + 1 + METADATA_TOPIC.length + 1 + 4 + 2;
const MOVE_DEADLINE_MS = 60_000;
const LOOK_AGAIN_MS = 100;

/** Returns the id of the broker that leads the controllers; a client's metadata names any broker (KIP-590). */
export async function controllerOf(brokers: string): Promise<number> {
  const name = Buffer.from(METADATA_TOPIC);
  // Tags of the header; a list of one topic; its name; a list of one partition, number 0; tags of each level.
  const body = Buffer.concat([
    Buffer.from([0, 2, name.length + 1]),
    name,
    Buffer.from([2, 0, 0, 0, 0, 0, 0, 0]),
  ]);
  const answer = await askBroker(brokers, {
    apiKey: DESCRIBE_QUORUM,
    apiName: 'DescribeQuorum',
    body: new InnerEncoder().writeBuffer(body),
  });
  const code = answer.readInt16BE(1);
  if (code !== 0) throw new Error(`DescribeQuorum answered error ${code}`);
  return answer.readInt32BE(LEADER_AT_BYTE);
}

async function withAdmin<T>(brokers: string, work: (admin: Admin) => Promise<T>): Promise<T> {
  const kafka = new kafkajs.Kafka({
    brokers: brokers.split(','),
    clientId: 'sentinel-test-admin',
    logLevel: kafkajs.logLevel.NOTHING,
  });
  const admin = kafka.admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}

/** Returns the ids of the brokers that lead the partitions of a topic, by partition. */
export function leadersOf(brokers: string, topic: string): Promise<ReadonlyMap<number, number>> {
  return withAdmin(brokers, async (admin) => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    return new Map(topics[0]!.partitions.map(({ partitionId, leader }) => [partitionId, leader]));
  });
}

/**
 * Moves every partition away from its leader, then gives that broker its replica back: each partition gets another
 * leader and is copied anew. @returns the number of moved partitions @throws Error when the moves take too long
 */
export function moveLeaders(brokers: string, topics: readonly string[]): Promise<number> {
  return withAdmin(brokers, async (admin) => {
    const { topics: found } = await admin.fetchTopicMetadata({ topics: [...topics] });
    const move = async (replicasOf: (leader: number, replicas: number[]) => number[]) => {
      await admin.alterPartitionReassignments({
        topics: found.map(({ name, partitions }) => ({
          topic: name,
          partitionAssignment: partitions.map(({ partitionId, leader, replicas }) => ({
            partition: partitionId,
            replicas: replicasOf(leader, replicas),
          })),
        })),
      });
      const end = Date.now() + MOVE_DEADLINE_MS;
      while ((await admin.listPartitionReassignments({})).topics.length > 0) {
        if (Date.now() > end) throw new Error('the partitions were not moved in time');
        await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
      }
    };
    await move((leader, replicas) => replicas.filter((one) => one !== leader));
    await move((leader, replicas) => [...replicas.filter((one) => one !== leader), leader]);
    return found.reduce((sum, { partitions }) => sum + partitions.length, 0);
  });
}
