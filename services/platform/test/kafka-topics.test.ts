import kafkajs from 'kafkajs';
import t from 'tap';
import { createTopics, openKafkaEventLog, topicSettings } from '../src/kafka/index.ts';
import { share } from '../src/kafka/assigner.ts';
import { assertSafe, copyDifferences, differenceLine, differencesOf } from '../src/kafka/topic-settings.ts';
import type { TopicSpec } from '../src/ports/event-log.ts';
import { matchList } from '@sentinel-node/test-kit/matching';
import { startKafka } from '@sentinel-node/test-kit/test-servers';
import { adminOf, openLog, readAll, record, setTopic, topic, until } from './kafka-harness.ts';

t.setTimeout(300_000);

t.test('settings say for ever where nothing may be dropped', async (t) => {
  const three = { replicationFactor: 3 };
  t.match(topicSettings('forever', three), {
    'cleanup.policy': 'delete',
    'retention.ms': '-1',
    'retention.bytes': '-1',
    'min.insync.replicas': '2',
    'unclean.leader.election.enable': 'false',
    'compression.type': 'producer',
  });
  t.match(topicSettings('compacted', three), { 'cleanup.policy': 'compact', 'retention.ms': '-1' });
  t.match(topicSettings('volatile', three), { 'cleanup.policy': 'delete', 'retention.ms': '21600000' });
  t.notOk('flush.messages' in topicSettings('forever', three), 'replicas keep it');
  for (const replicationFactor of [1, 2])
    t.match(
      topicSettings('forever', { replicationFactor }),
      { 'min.insync.replicas': '1', 'flush.messages': '1' },
      `${replicationFactor}: one broker alone acknowledges`,
    );
  t.notOk('flush.messages' in topicSettings('volatile', { replicationFactor: 1 }));
});

t.test('partition p goes to member p mod n of those that take the topic', async (t) => {
  const members = [
    { memberId: 'b', topics: ['x', 'y'] },
    { memberId: 'a', topics: ['x'] },
    { memberId: 'c', topics: ['y', 'z'] },
  ];
  const shares = share(
    members,
    new Map([
      ['x', [0, 1, 2]],
      ['y', [0, 1, 2]],
      ['z', [0]],
    ]),
  );
  t.strictSame(Object.fromEntries(shares), {
    a: { x: [0, 2] },
    b: { x: [1], y: [0, 2] },
    c: { y: [1], z: [0] },
  });
});

t.test('brokers stamp records by their own clock', (t) => {
  for (const retention of ['forever', 'compacted', 'volatile'] as const)
    t.equal(topicSettings(retention, { replicationFactor: 3 })['message.timestamp.type'], 'LogAppendTime');
  const differing = { ...topicSettings('forever', { replicationFactor: 3 }) };
  differing['message.timestamp.type'] = 'CreateTime';
  const spec = { name: 'log', partitions: 1, retention: 'forever' } as const;
  const [difference] = differencesOf([spec], { replicationFactor: 3 }, new Map([['log', differing]]));
  t.match(difference, { setting: 'message.timestamp.type', isUnsafe: false, meaning: /clock/ });
  t.end();
});

t.test('fewer copies than the brokers could keep are told', (t) => {
  const spec = (name: string, retention: TopicSpec['retention']) => ({ name, partitions: 1, retention });
  const specs = [spec('log', 'forever'), spec('compacted', 'compacted'), spec('feed', 'volatile')];
  const told = (copies: number, brokers: number) =>
    copyDifferences(specs, new Map(specs.map(({ name }) => [name, copies])), brokers);
  t.strictSame(
    told(1, 4).map(differenceLine),
    ['log', 'compacted'].map(
      (name) => `${name}: copies is 1, not 3: records are lost with the broker that has them`,
    ),
  );
  matchList(t, told(1, 2), [{ wanted: '2' }, { wanted: '2' }]);
  matchList(t, told(2, 3), [{ wanted: '3', meaning: /one broker alone acknowledges/ }, {}]);
  for (const [copies, brokers] of [
    [1, 1],
    [2, 2],
    [3, 3],
    [3, 9],
    [4, 5],
    [3, 2],
  ] as const)
    t.strictSame(told(copies, brokers), [], `${copies} of ${brokers}`);
  t.doesNotThrow(() => assertSafe(told(1, 3)), 'it is the choice of the operator');
  t.end();
});

const kafka = await startKafka(t);
if (kafka !== undefined) {
  const brokers = kafka.brokers.split(',');
  const admin = await adminOf(t, kafka.brokers);
  const TOPIC = kafkajs.ConfigResourceTypes.TOPIC;
  const settingsOf = async ({ name }: TopicSpec) => {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: TOPIC, name }],
    });
    return Object.fromEntries(
      resources[0]!.configEntries.map(({ configName, configValue }) => [configName, configValue]),
    );
  };

  await t.test('topics are made once, and mended when somebody changed them', async (t) => {
    const specs = [topic(3), { ...topic(1), retention: 'compacted' as const }];
    const make = () => createTopics({ brokers }, specs, { replicationFactor: 1 });
    t.strictSame((await make()).made, [specs[0]!.name, specs[1]!.name]);
    t.strictSame(await make(), { made: [], changed: [], unsafeBefore: [], differences: [] });
    for (const spec of specs)
      t.match(await settingsOf(spec), { ...topicSettings(spec.retention, { replicationFactor: 1 }) });
    await setTopic(admin, specs[0]!, {
      'retention.ms': '1000',
      'segment.bytes': '10485760',
      'compression.type': 'zstd',
    });
    const { changed, unsafeBefore } = await make();
    t.strictSame(changed, [specs[0]!.name]);
    t.strictSame(
      unsafeBefore.map(({ setting, found }) => [setting, found]),
      [['retention.ms', '1000']],
    );
    t.match(await settingsOf(specs[0]!), {
      'retention.ms': '-1',
      'segment.bytes': '10485760',
      'compression.type': 'producer',
    });
  });

  await t.test('more copies than there are brokers: refused with the number of brokers', async (t) => {
    await t.rejects(createTopics({ brokers }, [topic(1)], { replicationFactor: 3 }), {
      code: 'TOO_FEW_BROKERS',
      message: /^Kafka has 1 broker up, too few for 3 copies .*--replication-factor 1/,
    });
  });

  await t.test('another number of partitions is refused before anything is made', async (t) => {
    const [there, missing] = [topic(2), topic(1)];
    await createTopics({ brokers }, [there], { replicationFactor: 1 });
    await t.rejects(
      createTopics({ brokers }, [missing, { ...there, partitions: 4 }], { replicationFactor: 1 }),
      { code: 'PARTITIONS_CHANGED' },
    );
    t.notOk((await admin.listTopics()).includes(missing.name));
  });

  await t.test(
    'partitions that somebody adds hurt nobody who runs, and the next start says so',
    async (t) => {
      const spec = topic(2);
      const log = await openLog(t, kafka.brokers, [spec]);
      const consumed = new Set<string>();
      const group = await log.consume([spec.name], spec.name, async ({ records }) => {
        for (const { id } of records) consumed.add(id);
      });
      await admin.createPartitions({ topicPartitions: [{ topic: spec.name, count: 5 }] });
      const ids = Array.from({ length: 50 }, (_, n) => `${n}`);
      const positions = await log.append(
        spec.name,
        ids.map((id) => record(id)),
      );
      t.ok(positions.every(({ partition }) => partition < spec.partitions));
      await until('all is consumed', () => consumed.size === ids.length);
      await group.stop();
      t.strictSame((await readAll(log, spec)).map(({ id }) => id).sort(), [...ids].sort());
      await t.rejects(openKafkaEventLog({ brokers, topics: [spec] }), {
        code: 'PARTITIONS_CHANGED',
        message: `topic ${spec.name} has 5 partitions, and this version works with 2: records of one file would be out of order; partitions cannot be taken away: make the topic anew from a backup (deploy/runbook.md, "A topic with other partitions")`,
      });
    },
  );

  await t.test('another number of replicas is refused before anything is changed', async (t) => {
    const [there, missing] = [topic(1), topic(1)];
    await createTopics({ brokers }, [there], { replicationFactor: 1 });
    await t.rejects(createTopics({ brokers }, [missing, there], { replicationFactor: 3 }), {
      code: 'REPLICAS_DIFFER',
      message: /has 1 replicas, not 3: give --replication-factor 1/,
    });
    t.notOk((await admin.listTopics()).includes(missing.name));
    t.strictSame((await createTopics({ brokers }, [there], { replicationFactor: 1 })).changed, []);
  });
}
