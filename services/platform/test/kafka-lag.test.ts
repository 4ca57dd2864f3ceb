import { randomUUID } from 'node:crypto';
import t from 'tap';
import { createTopics, openKafkaEventLog } from '../src/kafka/index.ts';
import { createMetrics } from '../src/metrics/metrics.ts';
import { startKafka } from '@sentinel-node/test-kit/test-servers';
import { record, topic, until } from './kafka-harness.ts';

t.setTimeout(300_000);

const kafka = await startKafka(t);
for (const ownThread of kafka === undefined ? [] : [false, true]) {
  const where = ownThread ? ', with Kafka on a thread of its own' : '';
  await t.test(`the lag is a metric of the process${where}`, async (t) => {
    const spec = topic(2);
    const group = `lag-${randomUUID()}`;
    const brokers = [kafka!.brokers];
    const metrics = createMetrics('test', { processMetrics: false });
    await createTopics({ brokers }, [spec], { replicationFactor: 1 });
    const log = await openKafkaEventLog({ brokers, topics: [spec], metrics, ownThread });
    t.teardown(() => log.close());
    await log.append(
      spec.name,
      Array.from({ length: 30 }, (_, n) => record(`${n}`)),
    );
    let finish: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    const subscription = await log.consume([spec.name], group, () => held);
    const lag = async () =>
      Number(/sentinel_consumer_lag_records\{[^}]*\} (\d+)/.exec(await metrics.text())?.[1] ?? -1);
    await until('all wait', async () => (await lag()) === 30);
    finish();
    await until('none waits', async () => (await lag()) === 0);
    t.match(await metrics.text(), new RegExp(`group="${group}",topic="${spec.name}"`));
    await subscription.stop();
  });
}
