/** Crashes at every step of anchoring, on Kafka and a server with MongoDB's protocol. */
import { randomInt, randomUUID } from 'node:crypto';
import { silentLog, EMBEDDED_TOPICS, type EventLog } from '@sentinel-node/platform';
import { createTopics, openKafkaEventLog } from '@sentinel-node/platform/kafka';
import { openMongoDocumentStore } from '@sentinel-node/platform/mongodb';
import { TOPICS } from '@sentinel-node/contracts';
import { startKafka, startMongo } from '@sentinel-node/test-kit/test-servers';
import t from 'tap';
import { devLedgerOf } from './crash-ledgers.ts';
import { crashEverywhere, type CrashWorld } from './crash-suite.ts';
import { openWorld, type BackEnd } from './support.ts';

t.setTimeout(900_000);
const seed = Number(process.env['SENTINEL_TEST_SEED'] ?? randomInt(1_000_000));
t.comment(`SENTINEL_TEST_SEED=${seed}`);
const [kafka, mongo] = await Promise.all([startKafka(t), startMongo(t)]);

/** Topics that anchoring reads and writes. */
const WANTED: readonly string[] = [TOPICS.chain, TOPICS.anchors];

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
        handler,
        options,
      ),
    tail: (topic, from, onBatch) => log.tail(prefix + topic, from, onBatch),
    committed: (topic, group) => log.committed(prefix + topic, group),
    epoch: (topic) => log.epoch(prefix + topic),
    close: () => log.close(),
  };
}

async function backEnd(brokers: readonly string[], url: string): Promise<BackEnd> {
  const prefix = `${randomUUID()}.`;
  const topics = EMBEDDED_TOPICS.filter(({ name }) => WANTED.includes(name)).map((topic) => ({
    ...topic,
    name: prefix + topic.name,
  }));
  const log = silentLog();
  await createTopics({ brokers: [...brokers] }, topics, { replicationFactor: 1 });
  const eventLog = await openKafkaEventLog({ brokers, topics, ownThread: false, log });
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

if (kafka !== undefined && mongo !== undefined) {
  const open = async (): Promise<CrashWorld> => {
    const world = await openWorld(undefined, () => backEnd(kafka.brokers.split(','), mongo.url));
    return { world, ledger: devLedgerOf(world), close: () => world.close() };
  };
  // The state after one call is the state before the next, so one of the two moments is enough here.
  t.test('the process ends after each change, on Kafka and MongoDB', (t) =>
    crashEverywhere(t, open, { moment: 'after', seed }),
  );
}
