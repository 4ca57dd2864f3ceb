/** kafkajs without any work on the records: the ceilings of `kafka-ingest` and `kafka-pipeline`. */
import { randomBytes } from 'node:crypto';
import kafkajs from 'kafkajs';
import { partitionOf, TOPICS } from '@sentinel-node/contracts';
import { CLUSTER_TOPICS } from '@sentinel-node/platform';
import { KAFKA_LIMITS } from '@sentinel-node/platform/kafka';
import { recordOf } from './kafka-cluster.mjs';
import { newFile } from './reports.mjs';
import { used, usage } from './usage.mjs';

const MS_PER_SECOND = 1_000;
/** Calls that are prepared once and sent repeatedly. */
const READY = 4;
const { partitions: PARTITIONS } = CLUSTER_TOPICS.find(({ name }) => name === TOPICS.fileEvents);

/** Default of kafkajs. The records of a larger fetch would not fit into one record batch. */
const BARE_PARTITION_BYTES = 1_048_576;

const clientOf = (brokers) => new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING });
const producerOf = (client) =>
  client.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner:
      () =>
      ({ message }) =>
        message.partition,
  });

/** Reads `count` records and writes one of `bytes` for each. Sends a batch when the batch before is acknowledged. */
export async function forward({ brokers, from, to, count, bytes, group }) {
  const client = clientOf(brokers);
  const value = randomBytes(bytes);
  const producer = producerOf(client);
  const consumer = client.consumer({
    groupId: group,
    maxBytesPerPartition: BARE_PARTITION_BYTES,
    maxBytes: KAFKA_LIMITS.fetchBytes,
  });
  await producer.connect();
  await consumer.connect();
  await consumer.subscribe({ topics: [from], fromBeginning: true });
  let resolve;
  const done = new Promise((given) => (resolve = given));
  let forwarded = 0;
  let first;
  await consumer.run({
    partitionsConsumedConcurrently: KAFKA_LIMITS.concurrentPartitions,
    eachBatch: async ({ batch: { partition, messages } }) => {
      first ??= usage();
      const records = messages.map(({ key, headers }) => ({ key, value, headers, partition }));
      await producer.sendBatch({ acks: -1, topicMessages: [{ topic: to, messages: records }] });
      forwarded += messages.length;
      if (forwarded >= count) resolve();
    },
  });
  await done;
  const result = resultOf(first, count);
  await consumer.disconnect();
  await producer.disconnect();
  return result;
}

/** Sends `records` reports at a time, each `sendBatch` after the one before is acknowledged. */
export async function produce({ brokers, records, orgId, deviceId, fileIds, seconds }) {
  const producer = producerOf(clientOf(brokers));
  await producer.connect();
  const files = fileIds.map(newFile);
  const ready = Array.from({ length: READY }, () =>
    Array.from({ length: records }, (_, n) => {
      const { key, id, body } = recordOf(orgId, { file: files[n % files.length], deviceId }, n);
      return { key, value: Buffer.from(body), headers: { id }, partition: partitionOf(key, PARTITIONS) };
    }),
  );
  const first = usage();
  const end = first.at + seconds * MS_PER_SECOND;
  let sent = 0;
  for (let n = 0; performance.now() < end; n += 1) {
    const messages = ready[n % ready.length];
    await producer.sendBatch({ acks: -1, topicMessages: [{ topic: TOPICS.fileEvents, messages }] });
    sent += messages.length;
  }
  const result = resultOf(first, sent);
  await producer.disconnect();
  return result;
}

function resultOf(first, count) {
  const last = usage();
  return { rate: (count * MS_PER_SECOND) / (last.at - first.at), cpu: used(first, last).cpu / count };
}
