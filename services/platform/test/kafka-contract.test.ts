import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Test } from 'tap';
import { eventLogContract } from '../src/contract-suites/index.ts';
import type { LogUnderTest, LogWishes } from '../src/contract-suites/index.ts';
import { createTopics, openKafkaEventLog } from '../src/kafka/index.ts';
import type { KafkaEventLog } from '../src/kafka/index.ts';
import type { EventLog, TopicSpec } from '../src/ports/event-log.ts';
import { startKafka } from '../src/test-servers/index.ts';

t.setTimeout(300_000);

/** The suite names its groups alike every time, and the broker is shared. */
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
    { handoverMs }: LogWishes = {},
  ): Promise<LogUnderTest> => {
    const limits = handoverMs === undefined ? {} : { rebalanceTimeoutMs: handoverMs };
    const prefix = `${randomUUID()}-`;
    let log: KafkaEventLog | undefined;
    const open = async (specs: readonly TopicSpec[]) => {
      await log?.close();
      log = undefined;
      log = await openKafkaEventLog({ brokers, topics: specs, limits, ownThread });
      return withOwnGroups(log, prefix);
    };
    t.teardown(() => log?.close());
    await createTopics({ brokers }, topics, { replicationFactor: 1 });
    return { log: await open(topics), reopen: (specs = topics) => open(specs) };
  };
  await eventLogContract(t, 'Kafka event log', (...given) => makeLog(false, ...given));
  await eventLogContract(t, 'Kafka event log on a thread of its own', (...given) => makeLog(true, ...given));
}
