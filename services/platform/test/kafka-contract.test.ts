import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Test } from 'tap';
import { eventLogContract } from '@sentinel-node/test-kit/contract-suites';
import type { LogUnderTest, LogWishes } from '@sentinel-node/test-kit/contract-suites';
import { createTopics, openKafkaEventLog } from '../src/kafka/index.ts';
import type { KafkaEventLog } from '../src/kafka/index.ts';
import type { EventLog, TopicSpec } from '../src/ports/event-log.ts';
import { setClientQuota, startKafka } from '@sentinel-node/test-kit/test-servers';

t.setTimeout(900_000);

/** Bytes a second, which the test's broker measures over two seconds; the read of the suite takes 1.5 MB. */
const STARVING_BYTES = 500_000;

/** Adds a prefix to group names: the suite always uses the same names, and the broker is shared. */
function withOwnGroups(log: KafkaEventLog, prefix: string): EventLog {
  return {
    append: (topic, records) => log.append(topic, records),
    consume: (topics, group, handler, options) => log.consume(topics, prefix + group, handler, options),
    read: (topic, partition, from, to) => log.read(topic, partition, from, to),
    tail: (topic, from, onBatch) => log.tail(topic, from, onBatch),
    bounds: (topic) => log.bounds(topic),
    committed: (topic, group) => log.committed(topic, prefix + group),
    epoch: (topic) => log.epoch(topic),
    close: () => log.close(),
  };
}

const kafka = await startKafka(t);
if (kafka !== undefined) {
  const brokers = kafka.brokers.split(',');
  const makeLog = async (
    ownThread: boolean,
    t: Test,
    topics: readonly TopicSpec[],
    { handoverMs, readTimeoutMs }: LogWishes = {},
  ): Promise<LogUnderTest> => {
    const limits = {
      ...(handoverMs !== undefined && { rebalanceTimeoutMs: handoverMs }),
      ...(readTimeoutMs !== undefined && { readTimeoutMs }),
    };
    const prefix = `${randomUUID()}-`;
    let log: KafkaEventLog | undefined;
    const open = async (specs: readonly TopicSpec[]) => {
      await log?.close();
      log = undefined;
      log = await openKafkaEventLog({ brokers, topics: specs, limits, ownThread, clientId: prefix });
      return withOwnGroups(log, prefix);
    };
    t.teardown(() => log?.close());
    await createTopics({ brokers }, topics, { replicationFactor: 1 });
    // The broker answers without partitions while the client is over its quota.
    const withholdRecords = () =>
      setClientQuota(kafka.brokers, prefix, { consumer_byte_rate: STARVING_BYTES });
    return { log: await open(topics), reopen: (specs = topics) => open(specs), withholdRecords };
  };
  await eventLogContract(t, 'Kafka event log', (...given) => makeLog(false, ...given));
  await eventLogContract(t, 'Kafka event log on a thread of its own', (...given) => makeLog(true, ...given));
}
