import kafkajs from 'kafkajs';
import type { Admin, ConfigEntries, IResourceConfigEntry } from 'kafkajs';
import { LogStartLostError, PartitionCountChangedError, PortError } from '../ports/errors.ts';
import type { TopicSpec } from '../ports/event-log.ts';
import type { Right } from './access.ts';
import { AdminSession } from './admin.ts';
import { clientContext } from './client.ts';
import {
  errorType,
  ReplicasDifferError,
  TooFewBrokersError,
  TopicDeletedError,
  TopicMissingError,
  TopicRefusedError,
} from './errors.ts';
import { lostStartLine, lostStarts } from './lost-starts.ts';
import type { KafkaConnection } from './options.ts';
import { pause } from './retry.ts';
import { assertSafe, copyDifferences, differencesOf, topicSettings } from './topic-settings.ts';
import type { CreateTopicsOptions, Difference, TopicSettings } from './topic-settings.ts';

const CREATE_TIMEOUT_MS = 15_000;
/** How long a broker may take to apply a setting that the controller has taken, and the pause between two looks. */
const APPLIED = { withinMs: 10_000, everyMs: 50 };
const TOPIC_RESOURCE = kafkajs.ConfigResourceTypes.TOPIC;
/**
 * Source of a setting that the topic itself has, not a default of the broker. Kafka:
 * ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG.
 */
const OWN_SETTING = 1;

export interface CreatedTopics {
  readonly made: readonly string[];
  /** Topics that existed with other settings, which were changed. */
  readonly changed: readonly string[];
  /** Settings with which records could be lost until now; some of topics that are kept for ever may be gone. */
  readonly unsafeBefore: readonly Difference[];
  /** Settings that still differ, because the brokers do not allow changing them, and copies that are too few. */
  readonly differences: readonly Difference[];
}

/**
 * Creates missing topics and corrects settings of existing ones; a person or a deployment job runs this. Managed
 * brokers refuse some settings: the topics then get the allowed settings, and the result is compared with the wanted
 * settings.
 * @throws PartitionCountChangedError, ReplicasDifferError, TopicDeletedError before any change
 * @throws TooFewBrokersError, TopicRefusedError
 * @throws UnsafeTopicsError when the resulting settings can lose records; LogStartLostError when first records are gone;
 * LogUnavailableError
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
    const deleted = await session.call('topics', describe, (admin) =>
      deletedTopics(admin, counts, options.together),
    );
    if (deleted !== undefined) throw new TopicDeletedError(deleted.topics, deleted.beside);
    const create: Right[] = [
      right(
        'Create',
        missing.map(({ name }) => name),
      ),
      { operation: 'Create', on: 'cluster' },
    ];
    await session.call('topics', create, (admin) => makeOrSayWhy(admin, missing, options));
    const present = specs.filter(({ name }) => counts.has(name));
    const alter = [right('DescribeConfigs', all), right('AlterConfigs', all)];
    const before = await session.call('topics', alter, (admin) => settingsOf(admin, present));
    const unsafeBefore = differencesOf(present, options, before).filter(({ isUnsafe }) => isUnsafe);
    const changed = await session.call('topics', alter, (admin) => alterSettings(admin, present, options));
    const found = await session.call('topics', alter, (admin) => settingsOf(admin, specs));
    const copies = new Map(all.map((name) => [name, options.replicationFactor]));
    const brokers = await session.call('topics', describe, brokersUp);
    const differences = [...differencesOf(specs, options, found), ...copyDifferences(specs, copies, brokers)];
    assertSafe(differences);
    const lost = await session.call('topics', describe, (admin) => lostStarts(admin, present));
    if (lost.length > 0) throw new LogStartLostError(lost.map(lostStartLine).join('; '));
    return { made: missing.map(({ name }) => name), changed, unsafeBefore, differences };
  } finally {
    await session.close();
  }
}

/**
 * Returns the topics that are missing while another one (`beside`) of those that are made together holds records; undefined
 * when there are none.
 */
export async function deletedTopics(
  admin: Admin,
  there: { readonly has: (topic: string) => boolean },
  together: readonly string[] = [],
): Promise<{ readonly topics: readonly string[]; readonly beside: string } | undefined> {
  const topics = together.filter((name) => !there.has(name));
  if (topics.length === 0) return undefined;
  for (const beside of together.filter((name) => there.has(name)))
    if ((await admin.fetchTopicOffsets(beside)).some(({ high }) => Number(high) > 0))
      return { topics, beside };
  return undefined;
}

/**
 * Compares the existing topics with the configured ones.
 * @throws TopicMissingError, PartitionCountChangedError, LogUnavailableError
 */
export async function checkTopics(session: AdminSession, specs: readonly TopicSpec[]): Promise<void> {
  const all = specs.map(({ name }) => name);
  const describe = [right('Describe', all)];
  const counts = await session.call('topics', describe, (admin) => partitionCounts(admin, specs));
  const missing = specs.filter(({ name }) => !counts.has(name)).map(({ name }) => name);
  // Kafka lists only topics that the user may describe, so an unlisted topic is missing or hidden.
  if (missing.length > 0)
    await session.call('topics', [right('Describe', missing)], (admin) => assertVisible(admin, missing));
  if (missing.length > 0) throw new TopicMissingError(missing);
  for (const { name, partitions } of specs) compare(name, counts.get(name)!, partitions);
}

/**
 * Returns the settings that differ from those of `createTopics`.
 * @throws AccessDeniedError, LogUnavailableError
 */
export async function topicDifferences(
  session: Pick<AdminSession, 'call'>,
  specs: readonly TopicSpec[],
): Promise<Difference[]> {
  const all = specs.map(({ name }) => name);
  const rights = [right('Describe', all), right('DescribeConfigs', all)];
  const replicas = new Map(await session.call('topics', rights, (admin) => replicaCounts(admin, all)));
  const found = await session.call('topics', rights, (admin) => settingsOf(admin, specs));
  const brokers = await session.call('topics', rights, brokersUp);
  const differences = specs.flatMap((spec) =>
    differencesOf([spec], { replicationFactor: replicas.get(spec.name) ?? 1 }, found),
  );
  return [...differences, ...copyDifferences(specs, replicas, brokers)];
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
 * Returns the assigned number of replicas of partition 0, including brokers that are away. The settings of a topic
 * depend on this number; a wrong number would require more in-sync replicas than exist, or fewer than keep a record
 * safe.
 */
async function replicaCounts(admin: Admin, names: string[]): Promise<[string, number][]> {
  if (names.length === 0) return [];
  const { topics } = await admin.fetchTopicMetadata({ topics: names });
  return topics.flatMap(({ name, partitions: [first] }) =>
    first === undefined ? [] : [[name, first.replicas.length]],
  );
}

async function brokersUp(admin: Admin): Promise<number> {
  return (await admin.describeCluster()).brokers.length;
}

async function partitionCounts(admin: Admin, specs: readonly TopicSpec[]): Promise<Map<string, number>> {
  const wanted = new Set(specs.map(({ name }) => name));
  const present = (await admin.listTopics()).filter((name) => wanted.has(name));
  if (present.length === 0) return new Map();
  const { topics } = await admin.fetchTopicMetadata({ topics: present });
  return new Map(topics.map(({ name, partitions }) => [name, partitions.length]));
}

/** @throws TooFewBrokersError, TopicRefusedError */
async function makeOrSayWhy(
  admin: Admin,
  specs: readonly TopicSpec[],
  options: CreateTopicsOptions,
): Promise<void> {
  try {
    await make(admin, specs, options);
  } catch (error) {
    const type = errorType(error) ?? '';
    if (type === 'INVALID_REPLICATION_FACTOR') {
      throw new TooFewBrokersError(await brokersUp(admin), options.replicationFactor, { cause: error });
    }
    if (error instanceof PortError || !REFUSED_FOR_GOOD.has(type)) throw error;
    throw new TopicRefusedError(error);
  }
}

/** Creates the topics with all settings, or with those that the brokers allow. */
export async function make(
  admin: Admin,
  specs: readonly TopicSpec[],
  options: CreateTopicsOptions,
): Promise<void> {
  if (specs.length === 0) return;
  // When the call is repeated after a lost answer, some topics exist already.
  const there = new Set(await admin.listTopics());
  for (const spec of specs.filter(({ name }) => !there.has(name))) {
    const create = (settings: TopicSettings, validateOnly: boolean) =>
      admin.createTopics({
        topics: [
          {
            topic: spec.name,
            numPartitions: spec.partitions,
            replicationFactor: options.replicationFactor,
            configEntries: entries(settings),
          },
        ],
        validateOnly,
        waitForLeaders: !validateOnly,
        timeout: CREATE_TIMEOUT_MS,
      });
    await withAllowed(topicSettings(spec.retention, options), create);
  }
}

/** Errors for a setting that cannot be set at all, and for one that a policy of the brokers forbids. */
const SETTING_REFUSED = new Set(['INVALID_CONFIG', 'POLICY_VIOLATION']);
/** Errors for a topic that no retry makes. */
const REFUSED_FOR_GOOD = new Set(['INVALID_TOPIC_EXCEPTION', 'INVALID_PARTITIONS', ...SETTING_REFUSED]);

/**
 * Does `work` with all settings; if they are refused, with the settings that are accepted when sent alone.
 * @returns the accepted settings @throws the refusal, when even no settings at all are refused
 */
async function withAllowed(
  settings: TopicSettings,
  work: (settings: TopicSettings, validateOnly: boolean) => Promise<unknown>,
): Promise<TopicSettings> {
  const isTaken = async (some: TopicSettings, validateOnly: boolean): Promise<boolean> => {
    try {
      await work(some, validateOnly);
      return true;
    } catch (error) {
      if (!SETTING_REFUSED.has(errorType(error) ?? '')) throw error;
      return false;
    }
  };
  if (await isTaken(settings, false)) return settings;
  const allowed: [string, string][] = [];
  for (const [name, value] of Object.entries(settings))
    if (await isTaken({ [name]: value }, true)) allowed.push([name, value]);
  await work(Object.fromEntries(allowed), false);
  return Object.fromEntries(allowed);
}

function entries(settings: TopicSettings): IResourceConfigEntry[] {
  return Object.entries(settings).map(([name, value]) => ({ name, value }));
}

/**
 * Sets differing settings, and waits until the broker shows them. AlterConfigs replaces all settings of a topic, so an
 * operator's other settings are sent again.
 * @returns the topics with a changed setting
 */
export async function alterSettings(
  admin: Admin,
  specs: readonly TopicSpec[],
  options: CreateTopicsOptions,
): Promise<string[]> {
  if (specs.length === 0) return [];
  const changed = new Map<string, TopicSettings>();
  for (const [name, described] of await describe(admin, specs)) {
    const wanted = topicSettings(specs.find((spec) => spec.name === name)!.retention, options);
    const own = described.filter(({ configSource }) => (configSource as number) === OWN_SETTING);
    const set = Object.fromEntries(own.map(({ configName, configValue }) => [configName, configValue]));
    const differing = Object.fromEntries(
      Object.entries(wanted).filter(([setting, value]) => set[setting] !== value),
    );
    if (Object.keys(differing).length === 0) continue;
    const alter = (settings: TopicSettings, validateOnly: boolean) =>
      Object.keys(settings).length === 0
        ? Promise.resolve()
        : admin.alterConfigs({
            validateOnly,
            resources: [{ type: TOPIC_RESOURCE, name, configEntries: entries({ ...set, ...settings }) }],
          });
    const accepted = await withAllowed(differing, alter);
    if (Object.keys(accepted).length > 0) changed.set(name, accepted);
  }
  await untilApplied(
    admin,
    specs.filter(({ name }) => changed.has(name)),
    changed,
  );
  return [...changed.keys()];
}

/**
 * The controller answers before the broker that is asked next has applied a change. Of a setting that is still another
 * one after `APPLIED.withinMs`, the comparison that follows tells.
 */
async function untilApplied(
  admin: Admin,
  specs: readonly TopicSpec[],
  settings: ReadonlyMap<string, TopicSettings>,
): Promise<void> {
  if (specs.length === 0) return;
  const isApplied = (found: TopicSettings | undefined, name: string): boolean =>
    Object.entries(settings.get(name) ?? {}).every(([setting, value]) => found?.[setting] === value);
  const end = Date.now() + APPLIED.withinMs;
  for (;;) {
    const found = await settingsOf(admin, specs);
    if (specs.every(({ name }) => isApplied(found.get(name), name)) || Date.now() >= end) return;
    await pause(APPLIED.everyMs);
  }
}

/** Returns the settings in force, from any source. */
export async function settingsOf(
  admin: Admin,
  specs: readonly TopicSpec[],
): Promise<ReadonlyMap<string, TopicSettings>> {
  const described = await describe(admin, specs);
  return new Map(
    described.map(([name, found]) => [
      name,
      Object.fromEntries(found.map(({ configName, configValue }) => [configName, configValue])),
    ]),
  );
}

async function describe(admin: Admin, specs: readonly TopicSpec[]): Promise<[string, ConfigEntries[]][]> {
  if (specs.length === 0) return [];
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: specs.map(({ name }) => ({ type: TOPIC_RESOURCE, name })),
  });
  return resources.map(({ resourceName, configEntries }) => [resourceName, configEntries]);
}
