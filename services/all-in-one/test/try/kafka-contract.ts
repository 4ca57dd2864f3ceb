/** Runs the contract suite of the event log on the given brokers. */
import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import type { EventLog, TopicSpec } from '@sentinel-node/platform';
import { createTopics, openKafkaEventLog, type KafkaEventLog } from '@sentinel-node/platform/kafka';
import { eventLogContract, type LogWishes, type LogUnderTest } from '@sentinel-node/test-kit/contract-suites';
import { delegateTo } from '../../src/delegate.ts';
import { FAULTS_MS } from '../support/until.ts';
import { given } from './given.ts';
import { withKafka } from './kafka-admin.ts';
import { tryPrefix } from './prefix.ts';

const COPIES = 3;
/** Generous, because Kafka makes a topic in the background, and its leaders appear later. */
t.setTimeout(FAULTS_MS);
const { kafka } = given();
const brokers = await withKafka(kafka, async (admin) => (await admin.describeCluster()).brokers.length);
const replicationFactor = Math.min(COPIES, brokers);

/** Adds a prefix to group names, because the suite uses the same names every time. */
function withOwnGroups(log: KafkaEventLog, prefix: string): EventLog {
  return {
    ...delegateTo(log),
    consume: (topics, group, handler, options) => log.consume(topics, prefix + group, handler, options),
    committed: (topic, group) => log.committed(topic, prefix + group),
  };
}

async function makeLog(
  t: Test,
  topics: readonly TopicSpec[],
  { handoverMs, readTimeoutMs }: LogWishes = {},
): Promise<LogUnderTest> {
  const limits = {
    ...(handoverMs !== undefined && { rebalanceTimeoutMs: handoverMs }),
    ...(readTimeoutMs !== undefined && { readTimeoutMs }),
  };
  const prefix = `${tryPrefix()}${randomUUID()}-`;
  let log: KafkaEventLog | undefined;
  const open = async (specs: readonly TopicSpec[]) => {
    await log?.close();
    log = undefined;
    log = await openKafkaEventLog({ ...kafka, topics: specs, limits });
    return withOwnGroups(log, prefix);
  };
  t.teardown(() => log?.close());
  await createTopics(kafka, topics, { replicationFactor });
  // A quota would slow down other users of the cluster, so this case reads without one.
  const withholdRecords = async () => t.comment('no quota is set on a cluster that is given');
  return { log: await open(topics), reopen: (specs = topics) => open(specs), withholdRecords };
}

await eventLogContract(t, 'Kafka event log', makeLog);
