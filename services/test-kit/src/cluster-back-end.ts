/** Opens the stores of a test on Kafka and a server with MongoDB's protocol. */
import { randomUUID } from 'node:crypto';
import { silentLog, EMBEDDED_TOPICS, type DocumentStore, type EventLog } from '@sentinel-node/platform';
import { createTopics, openKafkaEventLog } from '@sentinel-node/platform/kafka';
import { openMongoDocumentStore } from '@sentinel-node/platform/mongodb';

export interface ClusterBackEndOptions {
  /** Addresses of brokers with commas between them. */
  readonly brokers: string;
  /** Address of a server with MongoDB's protocol. */
  readonly url: string;
  /** Names of the topics that the service reads and writes. */
  readonly topics: readonly string[];
}

export interface ClusterBackEnd {
  readonly store: DocumentStore;
  readonly eventLog: EventLog;
  close(): Promise<void>;
}

/** Adds a prefix to topic names, because tests share the broker. */
function withPrefix(log: EventLog, prefix: string): EventLog {
  return {
    append: (topic, records) => log.append(prefix + topic, records),
    bounds: (topic) => log.bounds(prefix + topic),
    read: (topic, partition, from, to) => log.read(prefix + topic, partition, from, to),
    consume: (topics, group, handler, options) =>
      log.consume(
        topics.map((topic) => prefix + topic),
        group,
        (batch) => handler({ ...batch, topic: batch.topic.slice(prefix.length) }),
        options,
      ),
    tail: (topic, from, onBatch) => log.tail(prefix + topic, from, onBatch),
    committed: (topic, group) => log.committed(prefix + topic, group),
    epoch: (topic) => log.epoch(prefix + topic),
    close: () => log.close(),
  };
}

/** Opens topics and a database of their own on servers that tests share. */
export async function clusterBackEnd(options: ClusterBackEndOptions): Promise<ClusterBackEnd> {
  const { brokers, url } = options;
  const prefix = `${randomUUID()}.`;
  const topics = EMBEDDED_TOPICS.filter(({ name }) => options.topics.includes(name)).map((topic) => ({
    ...topic,
    name: prefix + topic.name,
  }));
  const log = silentLog();
  await createTopics({ brokers: brokers.split(',') }, topics, { replicationFactor: 1 });
  const eventLog = await openKafkaEventLog({ brokers: brokers.split(','), topics, ownThread: false, log });
  const store = await openMongoDocumentStore({ url, database: `test-${randomUUID()}`, log });
  return {
    store,
    eventLog: withPrefix(eventLog, prefix),
    close: async () => {
      await eventLog.close();
      await store.close();
    },
  };
}
