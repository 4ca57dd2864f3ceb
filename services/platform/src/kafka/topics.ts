import kafkajs from 'kafkajs';
import type { Admin, IResourceConfigEntry } from 'kafkajs';
import { PartitionCountChangedError } from '../ports/errors.ts';
import type { TopicSpec } from '../ports/event-log.ts';
import type { Right } from './access.ts';
import { AdminSession } from './admin.ts';
import { clientContext } from './client.ts';
import { errorType, ReplicasDifferError, TopicMissingError } from './errors.ts';
import { KAFKA_LIMITS } from './options.ts';
import type { KafkaConnection } from './options.ts';

const HOUR_MS = 3_600_000;
const VOLATILE_HOURS = 6;
const CREATE_TIMEOUT_MS = 15_000;
/** From three replicas on a write needs two, so that one broker may be away and one may be lost. */
const REPLICAS_FOR_QUORUM = 3;
const TOPIC_RESOURCE = kafkajs.ConfigResourceTypes.TOPIC;
/** Set on the topic itself, not a default of the broker. Kafka: ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG. */
const OWN_SETTING = 1;

export interface CreateTopicsOptions {
  /** 3 in production; 1 on a single broker. */
  readonly replicationFactor: number;
  /**
   * The broker flushes every batch to the disk before it answers. Default: with one replica only; without it a single
   * broker loses acknowledged records when the machine loses power.
   */
  readonly flushEachBatch?: boolean;
}

export type TopicSettings = Readonly<Record<string, string>>;

export interface CreatedTopics {
  readonly made: readonly string[];
  /** Existed with other settings, which were set. */
  readonly changed: readonly string[];
}

/** What a topic of this retention is made with. */
export function topicSettings(
  retention: TopicSpec['retention'],
  { replicationFactor, flushEachBatch = replicationFactor === 1 }: CreateTopicsOptions,
): TopicSettings {
  const quorum = replicationFactor >= REPLICAS_FOR_QUORUM ? 2 : 1;
  return {
    'cleanup.policy': retention === 'compacted' ? 'compact' : 'delete',
    'retention.ms': retention === 'volatile' ? String(VOLATILE_HOURS * HOUR_MS) : '-1',
    'retention.bytes': '-1',
    ...(retention === 'volatile' && { 'segment.ms': String(HOUR_MS) }),
    // As our producer sends it, not compressed: with a broker's default of zstd no consumer here could read its own log.
    'compression.type': 'producer',
    'max.message.bytes': String(KAFKA_LIMITS.maxMessageBytes),
    'min.insync.replicas': String(quorum),
    'unclean.leader.election.enable': 'false',
    ...(flushEachBatch && retention !== 'volatile' && { 'flush.messages': '1' }),
  };
}

/**
 * Makes the topics that are missing and sets what differs on those that exist; run by a person or a deployment job.
 * @throws PartitionCountChangedError, ReplicasDifferError before anything is changed
 * @throws LogUnavailableError
 */
export async function createTopics(
  connection: KafkaConnection,
  specs: readonly TopicSpec[],
  options: CreateTopicsOptions,
): Promise<CreatedTopics> {
  const session = new AdminSession(clientContext(connection));
  try {
    const all = specs.map(({ name }) => name);
    const describe = [right('Describe', all)];
    const counts = await session.call('topics', describe, (admin) => partitionCounts(admin, specs));
    for (const { name, partitions } of specs) compare(name, counts.get(name) ?? partitions, partitions);
    for (const [name, replicas] of await session.call('topics', describe, (admin) =>
      replicaCounts(admin, [...counts.keys()]),
    ))
      if (replicas !== options.replicationFactor)
        throw new ReplicasDifferError(name, replicas, options.replicationFactor);
    const missing = specs.filter(({ name }) => !counts.has(name));
    const create: Right[] = [
      right(
        'Create',
        missing.map(({ name }) => name),
      ),
      { operation: 'Create', on: 'cluster' },
    ];
    await session.call('topics', create, (admin) => make(admin, missing, options));
    const present = specs.filter(({ name }) => counts.has(name));
    const alter = [right('DescribeConfigs', all), right('AlterConfigs', all)];
    const changed = await session.call('topics', alter, (admin) => adjust(admin, present, options));
    return { made: missing.map(({ name }) => name), changed };
  } finally {
    await session.close();
  }
}

/**
 * Compares what is there with what is configured.
 * @throws TopicMissingError, PartitionCountChangedError, LogUnavailableError
 */
export async function checkTopics(session: AdminSession, specs: readonly TopicSpec[]): Promise<void> {
  const all = specs.map(({ name }) => name);
  const describe = [right('Describe', all)];
  const counts = await session.call('topics', describe, (admin) => partitionCounts(admin, specs));
  const missing = specs.filter(({ name }) => !counts.has(name)).map(({ name }) => name);
  // Kafka lists only what a user may describe: what is not listed is missing, or hidden.
  if (missing.length > 0)
    await session.call('topics', [right('Describe', missing)], (admin) => assertVisible(admin, missing));
  if (missing.length > 0) throw new TopicMissingError(missing);
  for (const { name, partitions } of specs) compare(name, counts.get(name)!, partitions);
}

function right(operation: Right['operation'], names: readonly string[]): Right {
  return { operation, on: 'topic', names };
}

/** @throws kafkajs's TOPIC_AUTHORIZATION_FAILED */
async function assertVisible(admin: Admin, topics: string[]): Promise<void> {
  try {
    await admin.fetchTopicMetadata({ topics });
  } catch (error) {
    if (errorType(error) === 'TOPIC_AUTHORIZATION_FAILED') throw error;
  }
}

function compare(name: string, recorded: number, configured: number): void {
  if (recorded !== configured) throw new PartitionCountChangedError(name, recorded, configured);
}

/**
 * Of partition 0, as assigned: a broker that is away counts. What is set on a topic follows from it; another number
 * would ask for more replicas in sync than there are, or for fewer than keep a record safe.
 */
async function replicaCounts(admin: Admin, names: string[]): Promise<[string, number][]> {
  if (names.length === 0) return [];
  const { topics } = await admin.fetchTopicMetadata({ topics: names });
  return topics.flatMap(({ name, partitions: [first] }) =>
    first === undefined ? [] : [[name, first.replicas.length]],
  );
}

async function partitionCounts(admin: Admin, specs: readonly TopicSpec[]): Promise<Map<string, number>> {
  const wanted = new Set(specs.map(({ name }) => name));
  const present = (await admin.listTopics()).filter((name) => wanted.has(name));
  if (present.length === 0) return new Map();
  const { topics } = await admin.fetchTopicMetadata({ topics: present });
  return new Map(topics.map(({ name, partitions }) => [name, partitions.length]));
}

async function make(admin: Admin, specs: readonly TopicSpec[], options: CreateTopicsOptions): Promise<void> {
  if (specs.length === 0) return;
  // A repeated call after an answer that was lost finds them there.
  const there = new Set(await admin.listTopics());
  const topics = specs
    .filter(({ name }) => !there.has(name))
    .map(({ name, partitions, retention }) => ({
      topic: name,
      numPartitions: partitions,
      replicationFactor: options.replicationFactor,
      configEntries: entries(topicSettings(retention, options)),
    }));
  if (topics.length > 0)
    await admin.createTopics({ topics, waitForLeaders: true, timeout: CREATE_TIMEOUT_MS });
}

function entries(settings: TopicSettings): IResourceConfigEntry[] {
  return Object.entries(settings).map(([name, value]) => ({ name, value }));
}

/** AlterConfigs replaces everything that is set on a topic: what an operator set beside ours is sent along. */
async function adjust(
  admin: Admin,
  specs: readonly TopicSpec[],
  options: CreateTopicsOptions,
): Promise<string[]> {
  if (specs.length === 0) return [];
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: specs.map(({ name }) => ({ type: TOPIC_RESOURCE, name })),
  });
  const differing = resources.flatMap(({ resourceName, configEntries }) => {
    const spec = specs.find(({ name }) => name === resourceName)!;
    const wanted = topicSettings(spec.retention, options);
    const own = configEntries.filter(({ configSource }) => (configSource as number) === OWN_SETTING);
    const set = Object.fromEntries(own.map(({ configName, configValue }) => [configName, configValue]));
    const same = Object.entries(wanted).every(([name, value]) => set[name] === value);
    return same ? [] : [{ name: resourceName, configEntries: entries({ ...set, ...wanted }) }];
  });
  if (differing.length > 0)
    await admin.alterConfigs({
      validateOnly: false,
      resources: differing.map((resource) => ({ type: TOPIC_RESOURCE, ...resource })),
    });
  return differing.map(({ name }) => name);
}
