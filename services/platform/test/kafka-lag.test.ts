import { randomUUID } from 'node:crypto';
import t from 'tap';
import { createTopics, openKafkaEventLog } from '../src/kafka/index.ts';
import { LagGauge } from '../src/kafka/lag-gauge.ts';
import { MemberLag } from '../src/kafka/member-lag.ts';
import { createMetrics } from '../src/metrics/metrics.ts';
import { startKafka } from '@sentinel-node/test-kit/test-servers';
import { record, topic, until } from './kafka-harness.ts';

t.setTimeout(300_000);

/** A member of the group `g` that reads `t`. */
function member() {
  const metrics = createMetrics('test', { processMetrics: false });
  const spec = { ...topic(3), name: 't' };
  const gauge = new LagGauge([spec], metrics);
  const lag = new MemberLag((of, partition, records) => gauge.set('g', of, partition, records));
  const shown = async (): Promise<string | undefined> =>
    /sentinel_consumer_lag_records\{[^}]*\} (\d+)/.exec(await metrics.text())?.[1];
  return { lag, shown, assign: (...names: string[]) => gauge.assign('g', ['t'], names) };
}

t.test('what stays with a member keeps its lag when the group is reassigned', async (t) => {
  const { lag, shown, assign } = member();
  assign('t/0', 't/1', 't/2');
  lag.set('t', 0, 30);
  lag.set('t', 1, 7);
  t.equal(await shown(), '37');
  assign('t/0', 't/2');
  t.equal(await shown(), '30', 'partition 1 is with another member');
  lag.set('t', 2, 5);
  t.equal(await shown(), '35');
  assign();
  t.equal(await shown(), '0');
});

t.test(
  'a fetch that finds nothing more ends the lag of its partition, which another member finished',
  async (t) => {
    const { lag, shown, assign } = member();
    assign('t/0', 't/1');
    lag.set('t', 0, 30);
    lag.set('t', 1, 7);
    lag.fetched([
      { name: 't/0', records: 0, isAtEnd: false },
      { name: 't/1', records: 0, isAtEnd: true },
    ]);
    t.equal(await shown(), '30');
    lag.fetched([{ name: 't/0', records: 0, isAtEnd: true }]);
    t.equal(await shown(), '0');
  },
);

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
