/** Tests three brokers that others use too. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import t from 'tap';
import { createTopics, openKafkaEventLog } from '../src/kafka/index.ts';
import { matchList } from '@sentinel-node/test-kit/matching';
import { startKafkaCluster } from '@sentinel-node/test-kit/test-servers';
import { adminOf, record, topic, until } from './kafka-harness.ts';

t.setTimeout(300_000);

/** The broker with the only copy of the topic of others. */
const LOST = 3;
const WARN = 40;

const cluster = await startKafkaCluster(t);
if (cluster !== undefined) {
  const { brokers, nodes } = cluster;
  const connection = { brokers: brokers.split(',') };
  const admin = await adminOf(t, brokers);

  await t.test('topics with fewer copies than brokers are told, at each start too', async (t) => {
    const [safe, single] = [topic(1), topic(1)];
    t.strictSame((await createTopics(connection, [safe], { replicationFactor: 3 })).differences, []);
    const { differences } = await createTopics(connection, [single], { replicationFactor: 1 });
    matchList(t, differences, [{ topic: single.name, setting: 'copies', found: '1', wanted: '3' }]);
    const lines: { level: number; topic?: string; setting?: string; msg: string }[] = [];
    const log = pino(
      { base: null },
      { write: (line) => void lines.push(JSON.parse(line) as (typeof lines)[0]) },
    );
    const opened = await openKafkaEventLog({ ...connection, topics: [safe, single], log });
    await opened.close();
    matchList(
      t,
      lines.filter(({ setting }) => setting === 'copies'),
      [{ level: WARN, topic: single.name, msg: /copies is 1, not 3: records are lost with the broker/ }],
    );
  });

  await t.test('a topic of others that has lost its leader changes nothing here', async (t) => {
    const spec = topic(3);
    await createTopics(connection, [spec], { replicationFactor: 3 });
    const foreign = `others.${randomUUID()}`;
    const replicaAssignment = [{ partition: 0, replicas: [LOST] }];
    await admin.createTopics({ topics: [{ topic: foreign, replicaAssignment }], waitForLeaders: false });
    const hasLeader = () =>
      admin.fetchTopicMetadata({ topics: [foreign] }).then(
        () => true,
        () => false,
      );
    await until('the topic of others has a leader', hasLeader);
    const limits = { probeIntervalMs: 200, probeTimeoutMs: 20_000 };
    const running = await openKafkaEventLog({ ...connection, topics: [spec], limits });
    t.teardown(() => running.close());
    await nodes[LOST - 1]!.kill();
    await until('it has none', async () => !(await hasLeader()));
    await t.resolves(running.append(spec.name, [record('one')]));
    const started = await openKafkaEventLog({ ...connection, topics: [spec], limits });
    t.teardown(() => started.close());
    await t.resolves(started.append(spec.name, [record('two')]));
    await until('both are ready', () => running.reachable() && started.reachable());
    await nodes[LOST - 1]!.restart();
  });
}
