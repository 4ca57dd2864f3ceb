/** Tests that a fetch without records is never the end of a log; only the brokers' offsets are. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Test } from 'tap';
import { openKafkaEventLog } from '../src/kafka/index.ts';
import type { KafkaEventLog, KafkaLimits } from '../src/kafka/index.ts';
import { setClientQuota, startKafka } from '@sentinel-node/test-kit/test-servers';
import type { ClientQuota } from '@sentinel-node/test-kit/test-servers';
import { openLog, readAll, topic, until } from './kafka-harness.ts';

t.setTimeout(300_000);

const RECORDS = 2_000;
const APPENDED_AT_ONCE = 100;
const BODY_BYTES = 600;
/** Bytes a second, measured by the test's broker over two seconds; above it the broker answers without partitions. */
const QUOTA_BYTES = 200_000;

const kafka = await startKafka(t);
if (kafka !== undefined) {
  const { brokers } = kafka;
  const spec = topic(1);
  const written = await openLog(t, brokers, [spec]);
  const body = new Uint8Array(BODY_BYTES).fill(120);
  // A broker never returns a batch larger than the quota allows in its window.
  for (let from = 0; from < RECORDS; from += APPENDED_AT_ONCE)
    await written.append(
      spec.name,
      Array.from({ length: APPENDED_AT_ONCE }, (_, n) => ({ key: 'one', id: `${from + n}`, body })),
    );

  const withQuota = async (
    t: Test,
    quota: ClientQuota = { consumer_byte_rate: QUOTA_BYTES },
    limits: Partial<KafkaLimits> = {},
  ): Promise<KafkaEventLog> => {
    const clientId = `quota-${randomUUID()}`;
    await setClientQuota(brokers, clientId, quota);
    const log = await openKafkaEventLog({ brokers: brokers.split(','), topics: [spec], clientId, limits });
    t.teardown(() => log.close());
    return log;
  };

  // In parallel, because under a quota most of the time is waiting.
  t.jobs = 5;
  t.test('under a quota a bounded read is slower, and whole', async (t) => {
    const log = await withQuota(t);
    let found = 0;
    for await (const { records } of log.read(spec.name, 0, 0, RECORDS)) found += records.length;
    t.equal(found, RECORDS);
  });

  t.test('under a quota a read without an end is whole', async (t) => {
    const log = await withQuota(t);
    t.equal((await readAll(log, spec)).length, RECORDS);
  });

  t.test('under a quota a tail leaves nothing out', async (t) => {
    const log = await withQuota(t);
    const offsets: number[] = [];
    const tail = await log.tail(spec.name, new Map([[0, 0]]), ({ records }) => {
      for (const { offset } of records) offsets.push(offset);
    });
    await until('the tail has all', () => offsets.length >= RECORDS);
    await tail.stop();
    t.ok(offsets.every((offset, n) => offset === n));
  });

  t.test('a read that a quota never lets pass fails with words, each time', async (t) => {
    const log = await withQuota(t, { consumer_byte_rate: 1 }, { throttledTimeoutMs: 3_000 });
    const words =
      /limit 3 s\): the quota of the client id quota-\S+ is used up, or smaller than a batch; raise/;
    await t.rejects(readAll(log, spec), { code: 'LOG_UNAVAILABLE', message: words });
    await t.rejects(readAll(log, spec), { code: 'LOG_UNAVAILABLE', message: words }, 'the next one too');
  });

  t.test('under a quota a group gets everything', async (t) => {
    const log = await withQuota(t);
    const ids = new Set<string>();
    const subscription = await log.consume([spec.name], randomUUID(), async ({ records }) => {
      for (const { id } of records) ids.add(id);
    });
    await until('the group has all', () => ids.size === RECORDS);
    await subscription.stop();
    t.equal(ids.size, RECORDS);
  });
}
