/**
 * Tests a topic that accepts less at once than is sent: batches are divided, and only a record that is too large alone
 * is refused.
 */
import t from 'tap';
import type { Test } from 'tap';
import type { KafkaEventLog } from '../src/kafka/index.ts';
import type { LogRecord, TopicSpec } from '../src/ports/event-log.ts';
import { startKafka } from '@sentinel-node/test-kit/test-servers';
import { adminOf, lost, openLog, readAll, setTopic, topic } from './kafka-harness.ts';

t.setTimeout(300_000);

const TAKEN_BYTES = 20_000;
const BODY_BYTES = 1_000;

function records(count: number, name: string, bytes = BODY_BYTES): LogRecord[] {
  return Array.from({ length: count }, (_, n) => ({
    key: `key-${n % 5}`,
    id: `${name}-${n}`,
    body: new Uint8Array(bytes).fill(120),
  }));
}

const kafka = await startKafka(t);
if (kafka !== undefined) {
  const { brokers } = kafka;
  const admin = await adminOf(t, brokers);

  const small = async (t: Test, partitions: number): Promise<{ log: KafkaEventLog; spec: TopicSpec }> => {
    const spec = topic(partitions);
    const log = await openLog(t, brokers, [spec]);
    await setTopic(admin, spec, { 'max.message.bytes': String(TAKEN_BYTES) });
    return { log, spec };
  };

  await t.test('batches larger than the topic takes are divided, and every record is kept', async (t) => {
    const { log, spec } = await small(t, 3);
    const appended = records(400, 'r');
    const positions = await log.append(spec.name, appended);
    t.equal(new Set(positions.map(({ partition, offset }) => `${partition}/${offset}`)).size, 400);
    const again = records(400, 'again');
    await Promise.all(again.map((one) => log.append(spec.name, [one])));
    const found = new Map((await readAll(log, spec)).map((one) => [`${one.partition}/${one.offset}`, one]));
    t.strictSame(
      positions.map(({ partition, offset }) => found.get(`${partition}/${offset}`)?.id),
      appended.map(({ id }) => id),
      'each position is that of its record',
    );
    const ids = [...found.values()].map(({ id }) => id);
    t.strictSame(
      lost(
        [...appended, ...again].map(({ id }) => id),
        ids,
      ),
      [],
    );
  });

  await t.test('a record that is too large alone is refused with words, and no other', async (t) => {
    const { log, spec } = await small(t, 2);
    const [large] = records(1, 'large', 2 * TAKEN_BYTES);
    const others = records(60, 'other');
    const answers = await Promise.allSettled([
      ...others.slice(0, 30).map((one) => log.append(spec.name, [one])),
      log.append(spec.name, [large!]),
      ...others.slice(30).map((one) => log.append(spec.name, [one])),
    ]);
    t.strictSame(
      answers.flatMap(({ status }, n) => (status === 'rejected' ? [n] : [])),
      [30],
    );
    t.match(answers[30], {
      reason: {
        code: 'NOT_DURABLE',
        message: /a record of about 4\d{4} bytes is larger than test\.\S+ takes: set its max\.message\.bytes/,
      },
    });
    const ids = (await readAll(log, spec)).map(({ id }) => id);
    t.strictSame(
      lost(
        others.map(({ id }) => id),
        ids,
      ),
      [],
    );
    t.notOk(ids.includes(large!.id));
    await log.append(spec.name, records(1, 'after'));
    t.equal(log.unflushedBytes(), 0);
  });
}
