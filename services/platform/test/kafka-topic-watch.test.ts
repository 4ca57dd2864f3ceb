/** Tests what is said of topics that nobody can look at, that were deleted, or that lost their end. */
import type { Admin } from 'kafkajs';
import t from 'tap';
import { clientContext } from '../src/kafka/client.ts';
import { topicSettings } from '../src/kafka/topic-settings.ts';
import { LostEnds } from '../src/kafka/lost-ends.ts';
import { TopicWatch } from '../src/kafka/topic-watch.ts';
import { deletedTopics } from '../src/kafka/topics.ts';
import type { TopicSpec } from '../src/ports/event-log.ts';
import { until } from './until.ts';

const specs: readonly TopicSpec[] = ['a', 'b'].map((name) => ({ name, partitions: 1, retention: 'forever' }));

t.test('a look that fails leaves no number that says that all is well', async (t) => {
  const state = { isAway: false, retention: '-1' };
  const admin = {
    fetchTopicOffsets: async () => [{ partition: 0, low: '0', high: '5' }],
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
  let looks = 0;
  const session = {
    call: async <T>(_what: string, _rights: unknown, work: (open: Admin) => Promise<T>): Promise<T> => {
      looks += 1;
      if (state.isAway) throw new Error('away');
      return work(admin);
    },
  };
  const context = clientContext({ brokers: ['127.0.0.1:1'], limits: { topicsIntervalMs: 1 } });
  const watch = new TopicWatch(context, session, specs);
  await watch.start();
  t.teardown(() => watch.stop());
  t.strictSame(watch.unsafe, { settings: 0, records_gone: 0 });
  state.isAway = true;
  await until('it is not known', () => Object.keys(watch.unsafe).length === 0);
  Object.assign(state, { isAway: false, retention: '604800000' });
  await until('it is looked at again', () => watch.unsafe.settings === 1);
  t.equal(watch.unsafe.records_gone, 0);
  state.isAway = true;
  const before = looks;
  await until('more looks fail', () => looks > before + 2);
  t.strictSame(watch.unsafe, { settings: 1 }, 'what was found to be wrong stays');
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
