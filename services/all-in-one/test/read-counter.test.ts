/** Tests that a read of fewer records than the log's offsets promise ends the command. */
import { TOPICS } from '@sentinel-node/contracts';
import type { EventLog, RecordBatch } from '@sentinel-node/platform';
import t from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { Pace } from '../src/operator/pace.ts';
import { ReadCounter } from '../src/operator/read-counter.ts';
import { until } from './support/until.ts';

const BATCH = 10;

/** Returns a log whose partition 0 ends at `end` and contains the offsets in `given`. */
function logOf(end: number, given: (offset: number) => boolean): EventLog {
  async function* read(topic: string, partition: number, from: number, to = end): AsyncIterable<RecordBatch> {
    const offsets = Array.from({ length: to - from }, (_, n) => from + n).filter(given);
    for (let at = 0; at < offsets.length; at += BATCH) {
      const records = offsets
        .slice(at, at + BATCH)
        .map((offset) => ({ key: 'k', id: `${offset}`, body: new Uint8Array(1), partition, offset }));
      yield { topic, partition, records };
    }
  }
  return { read, bounds: async () => [{ partition: 0, start: 0, end }] } as unknown as EventLog;
}

async function count(counter: ReadCounter, topic: string, to?: number): Promise<number> {
  let found = 0;
  for await (const { records } of counter.eventLog.read(topic, 0, 0, to)) found += records.length;
  return found;
}

t.test('what was read is told beside what was expected', async (t) => {
  const told: string[] = [];
  const counter = new ReadCounter(
    logOf(25, () => true),
    (line) => told.push(line),
  );
  t.equal(await count(counter, TOPICS.chain), 25);
  const positions = [{ partition: 0, position: 25, end: 25 }];
  t.strictSame(counter.reads, [{ topic: TOPICS.chain, read: 25, expected: 25, positions }]);
  counter.writeReads();
  t.match(told[0], /25 records of 25; position 25 of 25 over 1 partitions/);
});

t.test('a short read throws, whether its end or its middle is missing', async (t) => {
  for (const given of [(n: number) => n < 20, (n: number) => n !== 12]) {
    const counter = new ReadCounter(logOf(25, given), () => undefined);
    await t.rejects(count(counter, TOPICS.chain, 25), {
      code: 'SHORT_READ',
      message: /expected 25 up to 25/,
    });
  }
});

t.test('of a compacted topic records may be missing, but not the end', async (t) => {
  const compacted = new ReadCounter(
    logOf(25, (n) => n % 5 === 4),
    () => undefined,
  );
  t.equal(await count(compacted, TOPICS.deviceHealth), 5);
  const short = new ReadCounter(
    logOf(25, (n) => n % 5 === 3),
    () => undefined,
  );
  await t.rejects(count(short, TOPICS.deviceHealth), { code: 'SHORT_READ' });
});

t.test('the end of a compacted topic is missing where newer records have replaced it', async (t) => {
  const log = logOf(30, (n) => n % 5 === 3 || n === 29);
  const counter = new ReadCounter(log, () => undefined);
  t.equal(await count(counter, TOPICS.deviceHealth, 25), 5);
  const positions = [{ partition: 0, position: 25, end: 25 }];
  matchList(t, counter.reads, [{ read: 5, expected: 25, positions }]);
  await t.rejects(count(new ReadCounter(log, () => undefined), TOPICS.chain, 25), { code: 'SHORT_READ' });
});

t.test('a reader that leaves early is not short', async (t) => {
  const counter = new ReadCounter(
    logOf(25, () => true),
    () => undefined,
  );
  for await (const _ of counter.eventLog.read(TOPICS.chain, 0, 0, 25)) break;
  matchList(t, counter.reads, [{ read: 10, expected: 10 }]);
});

t.test('progress tells of the whole plan, also while nothing comes', async (t) => {
  const told: string[] = [];
  const whole = logOf(30, () => true);
  const silent = new Map<number, () => boolean>([
    [1, () => told.some((line) => line.endsWith('none at the moment, time left unknown'))],
    [
      2,
      () => told.some((line) => / in all 20 of 60 records read, \S+ a second, about \d+ s to go$/.test(line)),
    ],
  ]);
  async function* read(...asked: Parameters<EventLog['read']>): AsyncIterable<RecordBatch> {
    let batches = 0;
    for await (const batch of whole.read(...asked)) {
      const isTold = silent.get(batches++);
      silent.delete(batches - 1);
      await until('a line of progress', () => (isTold?.() === false ? undefined : true));
      yield batch;
    }
  }
  const counter = new ReadCounter({ ...whole, read } as EventLog, (line) => told.push(line), 5);
  t.teardown(() => counter.close());
  await counter.plan({ [TOPICS.chain]: 2 });
  await count(counter, TOPICS.chain);
  await count(counter, TOPICS.chain);
  t.match(counter.total, { records: 60, expected: 60 });
  counter.writeReads();
  t.match(told.at(-1), /^read 60 records in [\d.]+ s, [\d.]+ a second$/);
});

t.test('a rate is that of the newest looks', (t) => {
  const pace = new Pace();
  pace.addMeasurement(0, 0);
  t.equal(pace.perSecond, undefined);
  pace.addMeasurement(1_000, 5_000);
  t.equal(pace.describe(10_000), '5000 a second, about 1 s to go');
  for (let at = 2; at <= 8; at += 1) pace.addMeasurement(at * 1_000, 5_000 + at * 5);
  t.equal(pace.perSecond, 5, 'the burst at the beginning is forgotten');
  t.equal(pace.describe(5_140), '5.0 a second, about 20 s to go');
  t.equal(pace.describe(5_000), '5.0 a second, about 0 s to go', 'more than was planned');
  t.end();
});
