/** A broker and a MongoDB-wire server of a run, with the topics of a cluster and a topic to forward to. */
import { randomUUID } from 'node:crypto';
import kafkajs from 'kafkajs';
import { encodeFileEvent, GROUPS, TOPICS } from '@sentinel-node/contracts';
import { CLUSTER_TOPICS, silentLog } from '@sentinel-node/platform';
import { createTopics, openKafkaEventLog } from '@sentinel-node/platform/kafka';
import { startOwnKafka, startMongo } from '@sentinel-node/test-kit/test-servers';
import { newFile, nextReport } from './reports.mjs';
import { KAFKA_APPEND_RECORDS } from './settings.mjs';

/** The topic to which the bare loop writes, with the partitions and settings of the topics of files. */
export const FORWARD = 'bench.forward';
const files = CLUSTER_TOPICS.find(({ name }) => name === TOPICS.fileEvents);
const ALL_TOPICS = [...CLUSTER_TOPICS, { ...files, name: FORWARD }];

/** @throws TestServerUnavailableError with the name of the missing part */
export async function openCluster() {
  const kafka = await startOwnKafka();
  const mongo = await startMongo();
  const brokers = [kafka.brokers];
  await createTopics({ brokers }, ALL_TOPICS, { replicationFactor: 1 });
  const client = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING });
  return {
    brokers,
    /** Returns the URL of a new, empty database, also for the next cluster, which uses the same server. */
    freshDatabase: () => {
      const url = new URL(mongo.url);
      url.pathname = `/bench_${randomUUID()}`;
      return url.href;
    },
    /** Deletes the verifier's group, so that it starts again at the first record. */
    forgetGroup: async () => {
      const admin = client.admin();
      await admin.connect();
      const { groups } = await admin.listGroups();
      if (groups.some(({ groupId }) => groupId === GROUPS.verifier))
        await admin.deleteGroups([GROUPS.verifier]);
      await admin.disconnect();
    },
    close: async () => {
      await mongo.stop();
      await kafka.stop();
    },
  };
}

/** Appends reports, each continuing the one before, as ingestion does. */
export async function fill({ brokers }, { orgId, devices }, count) {
  const log = await openKafkaEventLog({ brokers, topics: ALL_TOPICS, log: silentLog() });
  const targets = devices.flatMap(({ id, fileIds }) =>
    fileIds.map((fileId) => ({ file: newFile(fileId), deviceId: id })),
  );
  try {
    for (let sent = 0; sent < count;) {
      const size = Math.min(KAFKA_APPEND_RECORDS, count - sent);
      const records = Array.from({ length: size }, (_, index) =>
        recordOf(orgId, targets[(sent + index) % targets.length], sent + index),
      );
      await log.append(TOPICS.fileEvents, records);
      sent += size;
    }
  } finally {
    await log.close();
  }
}

/** Returns the mean length of the first bodies in a topic. */
export async function bytesOf({ brokers }, topic) {
  const log = await openKafkaEventLog({ brokers, topics: ALL_TOPICS, log: silentLog() });
  try {
    for (const { partition, start, end } of await log.bounds(topic)) {
      if (end === start) continue;
      for await (const { records } of log.read(topic, partition, start, end)) {
        return records.reduce((sum, { body }) => sum + body.length, 0) / records.length;
      }
    }
    throw new Error(`nothing lies in ${topic}`);
  } finally {
    await log.close();
  }
}

const POLICY = {
  configVersion: 1,
  modifiable: true,
  rolled: false,
  enabled: true,
  monitoringFrequency: 'FOLLOW',
  category: 'MISSION_CRITICAL',
  path: '/var/log/service/service.log',
  rolledFilenameRegexp: '',
};
const NONCE_DIGITS = 32;

export function recordOf(orgId, { file, deviceId }, n) {
  const header = {
    kind: 'report',
    v: 1,
    rules: 1,
    orgId,
    deviceId,
    acceptedAt: Date.now(),
    nonce: n.toString(16).padStart(NONCE_DIGITS, '0'),
    fileId: file.id,
    policy: POLICY,
  };
  const report = Buffer.from(nextReport(file, { line: true }), 'latin1');
  return {
    key: file.id,
    id: `${file.id}:${file.sequence}`,
    body: encodeFileEvent(JSON.stringify(header), report),
  };
}
