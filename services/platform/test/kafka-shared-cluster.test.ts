/** Tests three brokers that others use too. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { createTopics, openKafkaEventLog } from '../src/kafka/index.ts';
import { startKafkaCluster } from '@sentinel-node/test-kit/test-servers';
import { adminOf, record, topic, until } from './kafka-harness.ts';

t.setTimeout(300_000);

/** The broker with the only copy of the topic of others. */
const LOST = 3;

const cluster = await startKafkaCluster(t);
if (cluster !== undefined) {
  const { brokers, nodes } = cluster;
  const connection = { brokers: brokers.split(',') };
  const admin = await adminOf(t, brokers);

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
