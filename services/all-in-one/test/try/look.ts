/** Reports versions, topology, and settings that differ from the product's needs. */
import kafkajs from 'kafkajs';
import type { Admin } from 'kafkajs';
import { MongoClient, type Document } from 'mongodb';
import { newestVersions } from '@sentinel-node/test-kit/test-servers';
import { given } from './given.ts';
import { withKafka } from './kafka-admin.ts';

export interface Found {
  readonly lines: readonly string[];
  /** Differences: found and wanted values, a sentence each. */
  readonly differs: readonly string[];
}

const COPIES = 3;
const SESSION_MS = 15_000;
/** Bytes of the product's largest request: 8 MiB of records and its envelope. */
const REQUEST_BYTES = 10_485_760;
/** Oldest major version of MongoDB with all commands of the product (docs/mongodb.md). */
const LEAST_MONGODB = 5;

/** Numbers of requests in Kafka's protocol. */
const REQUESTS = { Produce: 0, Fetch: 1, Metadata: 3, JoinGroup: 11, ApiVersions: 18 };

interface Wanted {
  readonly name: string;
  readonly words: string;
  readonly holds: (value: string) => boolean;
}

const BROKER_SETTINGS: readonly Wanted[] = [
  {
    name: 'offsets.topic.replication.factor',
    words: `${COPIES}: what groups have finished is lost with its only copy`,
    holds: (value) => Number(value) >= COPIES,
  },
  {
    name: 'auto.create.topics.enable',
    words: 'false: a slip in a name would make a topic',
    holds: (value) => value === 'false',
  },
  {
    name: 'unclean.leader.election.enable',
    words: 'false: a stale copy would lead (the product sets it on its topics)',
    holds: (value) => value === 'false',
  },
  {
    name: 'group.min.session.timeout.ms',
    words: `at most ${SESSION_MS} ms`,
    holds: (value) => Number(value) <= SESSION_MS,
  },
  {
    name: 'group.max.session.timeout.ms',
    words: `at least ${SESSION_MS} ms`,
    holds: (value) => Number(value) >= SESSION_MS,
  },
  {
    name: 'socket.request.max.bytes',
    words: `at least ${REQUEST_BYTES} bytes`,
    holds: (value) => Number(value) >= REQUEST_BYTES,
  },
];

const count = (n: number, thing: string): string => `${n} ${thing}${n === 1 ? '' : 's'}`;

export function lookAtKafka(): Promise<Found & { readonly brokers: number }> {
  const { kafka } = given();
  return withKafka(kafka, async (admin) => {
    const { brokers, clusterId } = await admin.describeCluster();
    const names = brokers.map(({ nodeId, host, port }) => `${nodeId} at ${host}:${port}`);
    const settings = await brokerSettings(admin, brokers[0]?.nodeId ?? 0);
    const versions = await newestVersions(kafka);
    const answers = Object.entries(REQUESTS).map(
      ([name, key]) => `${name} up to version ${versions.get(key)}`,
    );
    const how = [
      kafka.tls === undefined ? 'plain connections' : 'TLS',
      kafka.sasl?.mechanism ?? 'no sign-in',
    ];
    const lines = [
      `Kafka: ${count(brokers.length, 'broker')} (${names.join(', ')}), cluster ${clusterId}, ${how.join(', ')}`,
      // A KRaft broker does not reveal its release; the versions of its answers show its age.
      `Kafka: answers ${answers.join(', ')}`,
    ];
    const differs =
      brokers.length < COPIES
        ? [`Kafka: ${count(brokers.length, 'broker')}; wanted ${COPIES}: each keeps a copy`]
        : [];
    for (const { name, words, holds } of BROKER_SETTINGS) {
      const value = settings.get(name);
      if (value === undefined) lines.push(`Kafka: ${name} is not told`);
      else if (!holds(value)) differs.push(`Kafka: ${name} is ${value}; wanted ${words}`);
    }
    return { lines, differs, brokers: brokers.length };
  });
}

/** Returns a broker's settings; empty when the cluster does not reveal them, as some managed ones. */
async function brokerSettings(admin: Admin, nodeId: number): Promise<ReadonlyMap<string, string>> {
  try {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: kafkajs.ConfigResourceTypes.BROKER, name: String(nodeId) }],
    });
    const entries = resources.flatMap(({ configEntries }) => configEntries);
    return new Map(entries.map(({ configName, configValue }) => [configName, configValue]));
  } catch {
    return new Map();
  }
}

export async function lookAtMongo(): Promise<Found> {
  const client = new MongoClient(given().mongodbUrl, { appName: 'sentinel-try-backends' });
  try {
    await client.connect();
    const admin = client.db('admin');
    const ask = (command: Document): Promise<Document | undefined> =>
      admin.command(command).catch(() => undefined);
    const hello = await admin.command({ hello: 1 });
    const version = (await ask({ buildInfo: 1 }))?.['version'] as string | undefined;
    const feature = await ask({ getParameter: 1, featureCompatibilityVersion: 1 });
    const concern = (await ask({ getDefaultRWConcern: 1 }))?.['defaultWriteConcern'] as Document | undefined;
    const members = (hello['hosts'] as readonly string[] | undefined) ?? [];
    const isRouter = hello['msg'] === 'isdbgrid';
    const set = hello['setName'] as string | undefined;
    const topology = isRouter
      ? 'a router of shards'
      : set === undefined
        ? 'one server'
        : `replica set ${set}`;
    const compatible = (feature?.['featureCompatibilityVersion'] as Document | undefined)?.['version'];
    const lines = [
      `MongoDB: version ${version ?? 'not told'}, feature compatibility ${String(compatible ?? 'not told')}, wire version ${hello['maxWireVersion']}`,
      `MongoDB: ${topology}${members.length > 0 ? ` of ${members.join(', ')}` : ''}; default write concern ${concern === undefined ? 'not told' : JSON.stringify(concern)} (the product sends its own)`,
    ];
    const differs: string[] = [];
    if (version !== undefined && Number.parseInt(version, 10) < LEAST_MONGODB)
      differs.push(`MongoDB: version ${version}; wanted ${LEAST_MONGODB}.0 or newer`);
    if (!isRouter && members.length < COPIES)
      differs.push(
        `MongoDB: ${topology} with ${count(members.length, 'member')}; wanted a replica set of ${COPIES}`,
      );
    if (hello['logicalSessionTimeoutMinutes'] === undefined)
      differs.push('MongoDB: no sessions; wanted for writes that are tried again');
    return { lines, differs };
  } finally {
    await client.close();
  }
}
