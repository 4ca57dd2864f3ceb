/** Tests managed brokers: some settings cannot be set, and the resulting settings are compared with the wanted ones. */
import { createRequire } from 'node:module';
import kafkajs, { type Admin } from 'kafkajs';
import t from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { createTopics, openKafkaEventLog } from '../src/kafka/index.ts';
import { errorType } from '../src/kafka/errors.ts';
import { assertSafe, differenceLine, differencesOf, topicSettings } from '../src/kafka/topic-settings.ts';
import { alterSettings, make, settingsOf } from '../src/kafka/topics.ts';
import { createLog } from '../src/logging/log.ts';
import { createMetrics } from '../src/metrics/metrics.ts';
import type { TopicSpec } from '../src/ports/event-log.ts';
import { startKafka } from '@sentinel-node/test-kit/test-servers';
import { adminOf, openLog, record, setTopic, topic, until } from './kafka-harness.ts';

t.setTimeout(120_000);

/** Levels of pino. */
const WARN = 40;
const ERROR = 50;
const THREE = { replicationFactor: 3 };
const spec: TopicSpec = { name: 'log', partitions: 1, retention: 'forever' };

t.test('what differs is said in one line each, and refused only where records would be lost', async (t) => {
  const found = (changes: object) =>
    differencesOf([spec], THREE, new Map([['log', { ...topicSettings('forever', THREE), ...changes }]]));
  t.strictSame(found({}), []);
  const lines = (changes: object) => found(changes).map(differenceLine);
  t.strictSame(lines({ 'compression.type': 'zstd', 'max.message.bytes': '1048588' }), [
    'log: compression.type is zstd, not producer: brokers compress again what they are sent, which costs them time',
    'log: max.message.bytes is 1048588, not 5242880: larger records are refused, and batches are divided',
  ]);
  t.doesNotThrow(() => assertSafe(found({ 'compression.type': 'zstd', 'min.insync.replicas': '3' })));
  t.strictSame(lines({ 'max.message.bytes': '8388608' }), [], 'more than wanted does no harm');
  matchList(t, lines({ 'min.insync.replicas': '3' }), [/nothing can be written while one broker is away/]);
  for (const [setting, value] of [
    ['min.insync.replicas', '1'],
    ['cleanup.policy', 'compact'],
    ['retention.ms', '604800000'],
    ['retention.bytes', '1073741824'],
    ['unclean.leader.election.enable', 'true'],
  ] as const)
    t.throws(() => assertSafe(found({ [setting]: value })), {
      code: 'TOPICS_UNSAFE',
      message: new RegExp(`lose records; have them changed: log: ${setting} is ${value}, not `),
    });
  const feed: TopicSpec = { ...spec, retention: 'volatile' };
  const volatile = {
    ...topicSettings('volatile', THREE),
    'min.insync.replicas': '1',
    'retention.ms': '60000',
  };
  const ofFeed = differencesOf([feed], THREE, new Map([['log', volatile]]));
  t.equal(ofFeed.length, 2);
  t.doesNotThrow(() => assertSafe(ofFeed), 'the feed may be lost');
});

interface InnerBroker {
  produce(request: { readonly topicData: readonly { readonly topic: string }[] }): Promise<unknown>;
}
const requireInner = createRequire(import.meta.url);
const { prototype: broker } = requireInner('kafkajs/src/broker') as { readonly prototype: InnerBroker };

/** Topics whose records are refused as when too few brokers have them: a single broker asks for no more than itself. */
const tooFewCopies = new Set<string>();
const { produce } = broker;
broker.produce = async function refused(request) {
  if (request.topicData.some((one) => tooFewCopies.has(one.topic)))
    throw new kafkajs.KafkaJSProtocolError('Messages are rejected since there are fewer insync replicas');
  return produce.call(this, request);
};

const kafka = await startKafka(t);
if (kafka !== undefined) {
  const brokers = kafka.brokers.split(',');
  const real = await adminOf(t, kafka.brokers);

  const refusal = async (create: () => Promise<unknown>): Promise<unknown> => {
    try {
      await create();
      return undefined;
    } catch (error) {
      return error;
    }
  };
  const nonsense = [{ name: 'cleanup.policy', value: 'nonsense' }];

  await t.test('a refused setting is an error that the adapter knows', async (t) => {
    const { name } = topic(1);
    const make = () => real.createTopics({ topics: [{ topic: name, configEntries: nonsense }] });
    t.equal(errorType(await refusal(make)), 'INVALID_CONFIG');
  });

  /** Puts an administration that refuses settings, with the broker's own error, before the real broker. */
  const managed = (...refused: string[]): Admin => {
    const check = async (entries: readonly { name: string }[]) => {
      if (!entries.some(({ name }) => refused.includes(name))) return;
      await real.createTopics({ topics: [{ topic: topic(1).name, configEntries: nonsense }] });
    };
    return {
      ...real,
      createTopics: async (request: Parameters<Admin['createTopics']>[0]) => {
        for (const { configEntries = [] } of request.topics) await check(configEntries);
        return real.createTopics(request);
      },
      alterConfigs: async (request: Parameters<Admin['alterConfigs']>[0]) => {
        for (const { configEntries } of request.resources) await check(configEntries);
        return real.alterConfigs(request);
      },
    };
  };
  const ONE = { replicationFactor: 1 };

  await t.test('topics are made with what is allowed, and the rest is named', async (t) => {
    const specs = [topic(2), { ...topic(1), retention: 'compacted' as const }];
    const admin = managed('unclean.leader.election.enable', 'flush.messages');
    await make(admin, specs, ONE);
    const found = await settingsOf(real, specs);
    for (const { name } of specs)
      t.match(found.get(name), { 'retention.ms': '-1', 'min.insync.replicas': '1' });
    const differences = differencesOf(specs, ONE, found);
    t.strictSame(
      differences.map(({ topic, setting }) => [topic, setting]),
      specs.map(({ name }) => [name, 'flush.messages']),
      'the other one is as wanted by the default of the broker',
    );
    t.match(
      differenceLine(differences[0]!),
      /flush\.messages is \d+, not 1: a broker whose machine loses power/,
    );
    t.doesNotThrow(() => assertSafe(differences));
    t.strictSame(await alterSettings(admin, specs, ONE), [], 'what cannot be set is not called changed');
    t.strictSame(
      await createTopics({ brokers }, specs, ONE),
      { made: [], changed: specs.map(({ name }) => name), unsafeBefore: [], differences: [] },
      'a cluster that allows it gets all settings',
    );
  });

  await t.test('what is refused and would lose records stops the command', async (t) => {
    const specs = [topic(1)];
    await make(managed('retention.ms', 'retention.bytes'), specs, ONE);
    const differences = differencesOf(specs, ONE, await settingsOf(real, specs));
    t.throws(() => assertSafe(differences), {
      code: 'TOPICS_UNSAFE',
      message: /retention\.ms is 604800000, not -1/,
    });
  });

  await t.test('a setting that the broker applies after the controller’s answer is waited for', async (t) => {
    const specs = [topic(1)];
    await createTopics({ brokers }, specs, ONE);
    await setTopic(real, specs[0]!, { 'retention.ms': '1000' });
    const before = await real.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: specs[0]!.name }],
    });
    let late = 0;
    const admin: Admin = {
      ...real,
      alterConfigs: async (request) => {
        late = 3;
        await real.alterConfigs(request);
      },
      describeConfigs: (request) => (late-- > 0 ? Promise.resolve(before) : real.describeConfigs(request)),
    };
    t.strictSame(await alterSettings(admin, specs, ONE), [specs[0]!.name]);
    t.strictSame(differencesOf(specs, ONE, await settingsOf(admin, specs)), []);
  });

  await t.test('a setting that was changed later is told at the next start', async (t) => {
    const specs = [topic(1), { ...topic(1), retention: 'volatile' as const }];
    const [log, feed] = specs.map(({ name }) => name);
    await createTopics({ brokers }, specs, ONE);
    const opened = async () => {
      const lines: Record<string, unknown>[] = [];
      const destination = { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) };
      const log = createLog({ level: 'info', service: 'test', destination });
      await (await openKafkaEventLog({ brokers, topics: specs, log })).close();
      return lines;
    };
    t.strictSame(await opened(), []);
    await setTopic(real, specs[0]!, { 'retention.ms': '604800000' });
    await setTopic(real, specs[1]!, { 'retention.ms': '60000' });
    const told = (await opened()).filter(({ setting }) => setting === 'retention.ms');
    matchList(t, told, [
      {
        level: ERROR,
        alarm: true,
        topic: log,
        msg: `topics differ: ${log}: retention.ms is 604800000, not -1: records go after 604800000, and the log is the truth; run sentinel topics`,
      },
      { level: WARN, topic: feed },
    ]);
    t.equal(told.length, 2);
  });

  await t.test('first records that are gone are told, and refused by the command', async (t) => {
    const specs = [topic(2), { ...topic(1), retention: 'volatile' as const }];
    const [log, feed] = specs.map(({ name }) => name);
    await createTopics({ brokers }, specs, ONE);
    const lines: Record<string, unknown>[] = [];
    const destination = { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) };
    const metrics = createMetrics('test', { processMetrics: false });
    const limits = { topicsIntervalMs: 100 };
    const eventLog = await openKafkaEventLog({
      ...{ brokers, topics: specs, limits, metrics },
      log: createLog({ level: 'info', service: 'test', destination }),
    });
    t.teardown(() => eventLog.close());
    t.strictSame(eventLog.unsafeTopics(), { settings: 0, records_gone: 0 });
    const [place] = await eventLog.append(log!, [record('a')]);
    await eventLog.append(feed!, [record('a')]);
    for (const [name, partition] of [[log!, place!.partition] as const, [feed!, 0] as const]) {
      // The client knows the leaders then.
      await real.fetchTopicOffsets(name);
      await real.deleteTopicRecords({ topic: name, partitions: [{ partition, offset: '1' }] });
    }
    await until('it is seen', () => eventLog.unsafeTopics().records_gone === 1);
    matchList(t, lines, [
      {
        level: ERROR,
        alarm: true,
        topic: log,
        msg: `records are gone: ${log} is kept for ever, and partition ${place!.partition} begins at offset 1; restore a backup`,
      },
    ]);
    t.match(await metrics.text(), /^sentinel_topics_unsafe\{problem="records_gone",service="test"\} 1$/m);
    await t.rejects(createTopics({ brokers }, specs, ONE), {
      code: 'LOG_START_LOST',
      message: new RegExp(
        `${log} is kept for ever, and partition ${place!.partition} begins at offset 1\\. Run`,
      ),
    });
    await setTopic(real, specs[0]!, { 'retention.ms': '604800000' });
    await until('the setting too', () => eventLog.unsafeTopics().settings === 1);
    await createTopics({ brokers }, specs, ONE).catch(() => undefined);
    await until('it is set back', () => eventLog.unsafeTopics().settings === 0);
    t.equal(eventLog.unsafeTopics().records_gone, 1, 'which brings nothing back');

    t.strictSame(eventLog.shortenedTopics(), []);
    await real.deleteTopics({ topics: [log!] });
    await until('it is gone', async () => !(await real.listTopics()).includes(log!));
    await createTopics({ brokers }, specs, ONE);
    await until('that it was made again is seen', () => eventLog.shortenedTopics().length > 0);
    t.strictSame(eventLog.shortenedTopics(), [log]);
    await t.rejects(eventLog.append(log!, [record('b')]), {
      code: 'NOT_DURABLE',
      message: `${log} has lost its end, and readers may have finished the offsets of new records: stop all services, and restore both stores from one moment`,
    });
    await eventLog.append(feed!, [record('b')]);
  });

  await t.test('a log that kept nothing lately is not reached, though its brokers answer', async (t) => {
    const spec = topic(1);
    const log = await openLog(t, kafka.brokers, [spec], { limits: { appendTimeoutMs: 1_500 } });
    const append = () => log.append(spec.name, [record('a')]);
    // On a busy machine an append may take longer than these brokers are given.
    const isKept = () =>
      append().then(
        () => true,
        () => false,
      );
    await until('a record is kept', isKept);
    t.ok(log.reachable());
    tooFewCopies.add(spec.name);
    await t.rejects(append(), { code: 'NOT_DURABLE' });
    t.notOk(log.reachable());
    await until('others may try', () => log.reachable());
    await t.rejects(append(), { code: 'NOT_DURABLE' });
    tooFewCopies.delete(spec.name);
    await until('a record is kept again', isKept);
    t.ok(log.reachable(), 'at once');
  });

  await t.test('topics of which nothing may be set are made all the same', async (t) => {
    const specs = [topic(1)];
    await make(managed(...Object.keys(topicSettings('forever', ONE))), specs, ONE);
    t.ok((await settingsOf(real, specs)).has(specs[0]!.name));
  });
}
