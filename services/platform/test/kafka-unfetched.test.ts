/** A consumer and a tail that reach their group and their cluster, and get no answer to a fetch. */
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import kafkajs from 'kafkajs';
import { pino } from 'pino';
import t from 'tap';
import { openKafkaEventLog } from '../src/kafka/index.ts';
import { createMetrics } from '../src/metrics/metrics.ts';
import { startKafka } from '@sentinel-node/test-kit/test-servers';
import { openLog, record, topic, until } from './kafka-harness.ts';

t.setTimeout(300_000);

interface InnerBroker {
  fetch(request: { readonly topics: readonly { readonly topic: string }[] }): Promise<unknown>;
}
const requireInner = createRequire(import.meta.url);
const { prototype: broker } = requireInner('kafkajs/src/broker') as { readonly prototype: InnerBroker };

/** Topics whose fetches fail as when their leader cannot be reached. */
const cut = new Set<string>();
const { fetch } = broker;
broker.fetch = async function cutOff(request) {
  if (request.topics.some((one) => cut.has(one.topic)))
    throw new kafkajs.KafkaJSConnectionError('Connection timeout', { broker: 'unreachable:9092' });
  return fetch.call(this, request);
};

/** Longer than a rebalance or an answer takes on a busy machine. */
const SHORT = { fetchSilenceMs: 3_000, heartbeatIntervalMs: 100, groupAbsenceMs: 60_000 };

t.test('kafkajs fetches as the observer expects', async (t) => {
  t.equal(
    requireInner('kafkajs/package.json').version,
    '2.2.4',
    'compare ConsumerGroup.fetch before another version',
  );
});

const kafka = await startKafka(t);
if (kafka !== undefined) {
  await t.test('a consumer that joins its group and fetches nothing is told until it fetches', async (t) => {
    const [spec, other] = [topic(2), topic(1)];
    const group = `unfetched-${randomUUID()}`;
    const lines: string[] = [];
    const metrics = createMetrics('test', { processMetrics: false });
    const admin = await openLog(t, kafka.brokers, [spec, other]);
    const log = await openKafkaEventLog({
      brokers: [kafka.brokers],
      topics: [spec, other],
      limits: SHORT,
      metrics,
      log: pino({ base: null }, { write: (line) => void lines.push(line) }),
    });
    t.teardown(() => log.close());
    const seconds = async () =>
      Number(/^sentinel_consumer_unfetched_seconds\{[^}]*\} (\d+)$/m.exec(await metrics.text())?.[1] ?? -1);
    t.equal(await seconds(), -1, 'no consumer, no series');
    const ids = new Set<string>();
    const subscription = await log.consume([spec.name, other.name], group, async ({ records }) => {
      for (const { id } of records) ids.add(id);
    });
    await admin.append(spec.name, [record('a'), record('b')]);
    await until('fetched', () => ids.size === 2);
    t.equal(await seconds(), 0);
    const joins = () => lines.filter((line) => line.includes('consumer begins anew')).length;
    cut.add(other.name);
    await until('it is told', () => log.unfetchedGroups().includes(group));
    await until('it has joined again', () => joins() >= 3);
    t.ok((await seconds()) >= 3, `${await seconds()} s`);
    t.match(await metrics.text(), new RegExp(`unfetched_seconds{group="${group}"`));
    t.strictSame(log.absentGroups(), [], 'though it is a member');
    t.ok(log.reachable(), 'and the brokers answer');
    t.ok(log.unfetchedGroups().includes(group), 'joining changes nothing');
    cut.delete(other.name);
    await until('it is fetched', () => log.unfetchedGroups().length === 0);
    t.equal(await seconds(), 0);
    await admin.append(other.name, [record('c')]);
    await until('the rest', () => ids.size === 3);
    await subscription.stop();
    t.equal(await seconds(), -1, 'what was stopped on purpose is missed by nobody');
  });

  await t.test('a handler that is busy is not a missing fetch', async (t) => {
    const spec = topic(2);
    const limits = { ...SHORT, fetchSilenceMs: 1_000 };
    const log = await openLog(t, kafka.brokers, [spec], { limits });
    const group = `busy-${randomUUID()}`;
    await log.append(
      spec.name,
      Array.from({ length: 20 }, (_, n) => record(`${n}`)),
    );
    let finish: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    let began = Infinity;
    const subscription = await log.consume([spec.name], group, () => {
      began = Math.min(began, performance.now());
      return held;
    });
    await until('twice as long', () => performance.now() - began > 2_500);
    t.strictSame(log.unfetchedGroups(), []);
    t.strictSame(log.unfetchedSeconds(), { [group]: 0 });
    finish();
    await subscription.stop();
  });

  await t.test('a tail that gets no answer does not follow, until it does', async (t) => {
    const spec = topic(2);
    const log = await openLog(t, kafka.brokers, [spec], { limits: SHORT });
    const ids: string[] = [];
    const tail = await log.tail(
      spec.name,
      'end',
      ({ records }) => void ids.push(...records.map(({ id }) => id)),
    );
    await log.append(spec.name, [record('a')]);
    await until('it follows', () => ids.includes('a'));
    t.ok(tail.isFollowing());
    cut.add(spec.name);
    await until('it does not', () => !tail.isFollowing());
    await log.append(spec.name, [record('b')]);
    cut.delete(spec.name);
    await until('it does', () => tail.isFollowing());
    await until('nothing is left out', () => ids.includes('b'));
    await tail.stop();
  });

  await t.test('a thread of its own tells the same', async (t) => {
    const spec = topic(1);
    // An idle broker answers after five seconds, which is too long here.
    const limits = { fetchSilenceMs: 1_000, fetchWaitMs: 5_000 };
    const log = await openLog(t, kafka.brokers, [spec], { ownThread: true, limits });
    const group = `thread-${randomUUID()}`;
    const subscription = await log.consume([spec.name], group, () => Promise.resolve());
    const tail = await log.tail(spec.name, 'end', () => undefined);
    t.ok(tail.isFollowing());
    await until('the consumer', () => log.unfetchedGroups().includes(group));
    await until('its seconds', () => (log.unfetchedSeconds()[group] ?? 0) >= 1);
    await until('the tail', () => !tail.isFollowing());
    await Promise.all([subscription.stop(), tail.stop()]);
    await until('stopped', () => Object.keys(log.unfetchedSeconds()).length === 0);
    t.strictSame(log.unfetchedGroups(), []);
  });
}
