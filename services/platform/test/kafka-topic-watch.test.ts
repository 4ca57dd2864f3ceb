/** Tests what is said of topics that nobody can look at, that were deleted, or that lost their end. */
import type { Admin } from 'kafkajs';
import t, { type Test } from 'tap';
import { clientContext } from '../src/kafka/client.ts';
import { topicSettings } from '../src/kafka/topic-settings.ts';
import { LostEnds } from '../src/kafka/lost-ends.ts';
import { TopicWatch } from '../src/kafka/topic-watch.ts';
import { deletedTopics } from '../src/kafka/topics.ts';
import { createLog, silentLog } from '../src/logging/log.ts';
import type { TopicSpec } from '../src/ports/event-log.ts';
import { until } from './until.ts';

const specs: readonly TopicSpec[] = ['a', 'b'].map((name) => ({ name, partitions: 1, retention: 'forever' }));

/** Returns a watch over the topics of a cluster that is as `state` says. */
function watched(t: Test, log = silentLog()) {
  const state = { isAway: false, retention: '-1', lows: ['0'], high: '5', looks: 0 };
  const admin = {
    fetchTopicOffsets: async (topic: string) => [
      topic === 'a'
        ? { partition: 0, low: state.lows.length > 1 ? state.lows.shift() : state.lows[0], high: state.high }
        : { partition: 0, low: '0', high: '5' },
    ],
    fetchTopicMetadata: async () => ({
      topics: specs.map(({ name }) => ({ name, partitions: [{ replicas: [1] }] })),
    }),
    describeCluster: async () => ({ brokers: [{}] }),
    describeConfigs: async () => ({
      resources: specs.map(({ name }) => ({
        resourceName: name,
        configEntries: Object.entries({
          ...topicSettings('forever', { replicationFactor: 1 }),
          ...(name === 'a' && { 'retention.ms': state.retention }),
        }).map(([configName, configValue]) => ({ configName, configValue })),
      })),
    }),
  } as unknown as Admin;
  const session = {
    call: async <T>(_what: string, _rights: unknown, work: (open: Admin) => Promise<T>): Promise<T> => {
      state.looks += 1;
      if (state.isAway) throw new Error('away');
      return work(admin);
    },
  };
  const context = clientContext({ brokers: ['127.0.0.1:1'], limits: { topicsIntervalMs: 1 }, log });
  const watch = new TopicWatch(context, session, specs);
  t.teardown(() => watch.stop());
  return { state, watch };
}

t.test('a look that fails leaves no number that says that all is well', async (t) => {
  const { state, watch } = watched(t);
  await watch.start();
  t.strictSame(watch.unsafe, { settings: 0, records_gone: 0 });
  state.isAway = true;
  await until('it is not known', () => Object.keys(watch.unsafe).length === 0);
  Object.assign(state, { isAway: false, retention: '604800000' });
  await until('it is looked at again', () => watch.unsafe.settings === 1);
  t.equal(watch.unsafe.records_gone, 0);
  state.isAway = true;
  const before = state.looks;
  await until('more looks fail', () => state.looks > before + 2);
  t.strictSame(watch.unsafe, { settings: 1 }, 'what was found to be wrong stays');
});

t.test('of a topic that lost its first records and its end both are told', async (t) => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) };
  const { state, watch } = watched(t, createLog({ level: 'info', service: 'test', destination }));
  await watch.start();
  t.strictSame([watch.shortened, lines], [[], []]);
  // The second look that finds a lower end is a proof, and the first that finds a later start.
  Object.assign(state, { lows: ['0', '2'], high: '3' });
  await until('the end too', () => watch.shortened.length > 0);
  t.strictSame(watch.shortened, ['a']);
  t.strictSame(lines, [
    'records are gone: a is kept for ever, and partition 0 begins at offset 2; restore a backup',
    'records are gone: a is kept for ever, and partition 0 ends at offset 3, after it ended at 5; restore a backup',
  ]);
  t.strictSame(watch.unsafe, { settings: 0, records_gone: 1 }, 'it is one topic');
});

t.test('a topic that ends before where it ended is told, also when it has grown again', (t) => {
  const ends = new LostEnds();
  const look = (...found: readonly number[]) => [
    ...ends
      .look([
        { topic: 'a', partitions: found.map((end, partition) => ({ partition, start: 0, end })) },
        { topic: 'b', partitions: [{ partition: 0, start: 0, end: 1 }] },
      ])
      .values(),
  ];
  t.same(look(5, 2), []);
  t.same(look(5, 0), [], 'a new leader may name a lower end at first');
  t.same(look(6, 2), []);
  t.same(look(6, 1), []);
  const line = 'a is kept for ever, and partition 1 ends at offset 1, after it ended at 2';
  t.same(look(6, 1), [line]);
  t.same(look(9, 9), [line]);
  t.end();
});

t.test('a topic that was deleted from a log in use is not made again', async (t) => {
  const highs = { a: '0', b: '0' };
  const admin = {
    fetchTopicOffsets: async (topic: 'a' | 'b') => [{ partition: 0, high: highs[topic] }],
  } as unknown as Admin;
  const together = ['a', 'b', 'c'];
  t.equal(await deletedTopics(admin, new Set(), together), undefined);
  t.equal(await deletedTopics(admin, new Set(['a', 'b']), together), undefined);
  highs.b = '1';
  t.equal(await deletedTopics(admin, new Set(together), together), undefined);
  t.same(await deletedTopics(admin, new Set(['a', 'b']), together), { topics: ['c'], beside: 'b' });
  t.equal(await deletedTopics(admin, new Set(['a', 'b'])), undefined);
});
