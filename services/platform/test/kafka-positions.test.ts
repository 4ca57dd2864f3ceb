/** Tests groups whose position is not in the log, and a log that lost records between others. */
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import t, { type Test } from 'tap';
import { openKafkaEventLog } from '../src/kafka/index.ts';
import { startKafka } from '@sentinel-node/test-kit/test-servers';
import type { EventLog, RecordBatch } from '../src/ports/event-log.ts';
import { adminOf, openLog, readAll, record, topic, until } from './kafka-harness.ts';

t.setTimeout(300_000);

/** Key of a record that no reader gets, as if compaction had removed it. */
const REMOVED = 'removed';
const requireInner = createRequire(import.meta.url);
const decoder =
  requireInner.cache[requireInner.resolve('kafkajs/src/protocol/requests/fetch/v4/decodeMessages')]!;
const decodeWhole = decoder.exports as (bytes: unknown) => Promise<readonly { key: Buffer | null }[]>;
decoder.exports = async (bytes: unknown) =>
  (await decodeWhole(bytes)).filter(({ key }) => key?.toString() !== REMOVED);

const RECORDS = 5;
const BEYOND = 9;

const kafka = await startKafka(t);
if (kafka !== undefined) {
  const admin = await adminOf(t, kafka.brokers);

  /** Returns a log with records, and a group of them that has finished what is before `position`. */
  const scene = async (t: Test, retention: 'forever' | 'volatile', position: number) => {
    const spec = { ...topic(1), retention };
    const direct = await openLog(t, kafka.brokers, [spec]);
    for (let n = 0; n < RECORDS; n++) await direct.append(spec.name, [record(`${n}`)]);
    const group = randomUUID();
    const partitions = [{ partition: 0, offset: String(position) }];
    await admin.setOffsets({ groupId: group, topic: spec.name, partitions });
    return { spec, group, direct };
  };

  for (const ownThread of [false, true])
    await t.test(`a group beyond the end of the log stops (own thread: ${ownThread})`, async (t) => {
      const { spec, group } = await scene(t, 'forever', BEYOND);
      const log = await openKafkaEventLog({ brokers: [kafka.brokers], topics: [spec], ownThread });
      t.teardown(() => log.close());
      const ids: string[] = [];
      let readAgain = (): void => undefined;
      const again = new Promise<void>((resolve) => (readAgain = resolve));
      const { failed, stop } = await log.consume([spec.name], group, async ({ records }) => {
        for (const { id } of records) ids.push(id);
        readAgain();
      });
      await t.rejects(Promise.race([failed, again]), {
        code: 'LOG_IS_OLDER',
        message: new RegExp(`${spec.name} partition 0 ends at offset ${RECORDS}, ${group} .*${BEYOND}`),
      });
      t.strictSame(ids, []);
      t.equal(
        (await log.committed(spec.name, group)).get(0),
        BEYOND,
        'the position stays for the next start',
      );
      await stop();
    });

  await t.test('a topic that may lose its end is read from its start', async (t) => {
    const { spec, group, direct } = await scene(t, 'volatile', BEYOND);
    const ids: string[] = [];
    const { stop } = await direct.consume([spec.name], group, async ({ records }) => {
      for (const { id } of records) ids.push(id);
    });
    await until('all are read', () => ids.length === RECORDS);
    await stop();
  });

  const START = 3;

  /** Returns a scene whose log begins at `START`. */
  const beheaded = async (t: Test, retention: 'forever' | 'volatile', position: number) => {
    const found = await scene(t, retention, position);
    await admin.deleteTopicRecords({
      topic: found.spec.name,
      partitions: [{ partition: 0, offset: `${START}` }],
    });
    return found;
  };
  /** Returns the ids that a group is given before it fails; all that are left when it does not fail. */
  const consumed = async (log: EventLog, name: string, group: string) => {
    const ids: string[] = [];
    let hadLast = (): void => undefined;
    const last = new Promise<void>((resolve) => (hadLast = resolve));
    const { failed, stop } = await log.consume([name], group, async ({ records }) => {
      for (const { id } of records) ids.push(id);
      if (ids.includes(`${RECORDS - 1}`)) hadLast();
    });
    return { ids, ended: Promise.race([failed, last]), stop };
  };

  for (const ownThread of [false, true])
    await t.test(`a group before the start of the log stops (own thread: ${ownThread})`, async (t) => {
      const { spec, group } = await beheaded(t, 'forever', 1);
      const log = await openKafkaEventLog({ brokers: [kafka.brokers], topics: [spec], ownThread });
      t.teardown(() => log.close());
      const { ids, ended, stop } = await consumed(log, spec.name, group);
      await t.rejects(ended, {
        code: 'LOG_START_LOST',
        message: `the log has lost its beginning: ${spec.name} partition 0 begins at offset ${START}, ${group} needs the records from 1 on, of which 2 are gone. Run sentinel topics, so that no setting removes more; then stop all services, empty both stores and restore a backup`,
      });
      t.strictSame(ids, []);
      t.equal((await log.committed(spec.name, group)).get(0), 1, 'the position stays for the next start');
      await stop();
    });

  await t.test('a group without a position stops where the log does not begin at 0', async (t) => {
    const { spec, direct } = await beheaded(t, 'forever', 1);
    const { ids, ended, stop } = await consumed(direct, spec.name, randomUUID());
    await t.rejects(ended, {
      code: 'LOG_START_LOST',
      message: /needs the records from 0 on, of which 3 are gone/,
    });
    t.strictSame(ids, []);
    await stop();
  });

  await t.test('a group that has finished what is gone goes on', async (t) => {
    const { spec, group, direct } = await beheaded(t, 'forever', START);
    const { ids, ended, stop } = await consumed(direct, spec.name, group);
    await ended;
    t.strictSame(ids, ['3', '4']);
    await stop();
  });

  for (const ownThread of [false, true])
    await t.test(`a read from before the start of the log fails (own thread: ${ownThread})`, async (t) => {
      const { spec } = await beheaded(t, 'forever', 0);
      const log = await openKafkaEventLog({ brokers: [kafka.brokers], topics: [spec], ownThread });
      t.teardown(() => log.close());
      const ids = async (from: number): Promise<string[]> => {
        const found: string[] = [];
        for await (const { records } of log.read(spec.name, 0, from))
          found.push(...records.map(({ id }) => id));
        return found;
      };
      await t.rejects(ids(2), {
        code: 'LOG_START_LOST',
        message: /a read needs the records from 2 on, of which 1 are/,
      });
      t.strictSame(await ids(START), ['3', '4']);
    });

  for (const ownThread of [false, true])
    await t.test(`a tail from before the start of the log fails (own thread: ${ownThread})`, async (t) => {
      const { spec } = await beheaded(t, 'forever', 0);
      const log = await openKafkaEventLog({ brokers: [kafka.brokers], topics: [spec], ownThread });
      t.teardown(() => log.close());
      const ids: string[] = [];
      const take = ({ records }: RecordBatch): void => void ids.push(...records.map(({ id }) => id));
      const lost = await log.tail(spec.name, new Map([[0, 1]]), take);
      await t.rejects(lost.failed, {
        code: 'LOG_START_LOST',
        message: /a tail needs the records from 1 on, of which 2 are/,
      });
      t.strictSame(ids, []);
      const whole = await log.tail(spec.name, new Map([[0, START]]), take);
      await until('the records that are left', () => ids.length === 2);
      await whole.stop();
      t.strictSame(ids, ['3', '4']);
    });

  await t.test('a topic that is not kept for ever is consumed and read from its start', async (t) => {
    const { spec, group, direct } = await beheaded(t, 'volatile', 1);
    for (const one of [group, randomUUID()]) {
      const { ids, ended, stop } = await consumed(direct, spec.name, one);
      await ended;
      t.strictSame(ids, ['3', '4']);
      await stop();
    }
    t.strictSame(
      (await readAll(direct, spec)).map(({ id }) => id),
      ['3', '4'],
    );
  });

  await t.test(
    'a group, a read and a tail stop where records of a topic that is kept for ever are gone',
    async (t) => {
      const spec = topic(1);
      const log = await openLog(t, kafka.brokers, [spec]);
      const keys = ['0', REMOVED, REMOVED, '3', '4'];
      for (const [n, key] of keys.entries()) await log.append(spec.name, [record(`${n}`, key)]);
      const lost = (reader: string) => ({
        code: 'LOG_HAS_HOLE',
        message: `the log has lost records of its middle: ${spec.name} partition 0 goes on at offset 3, ${reader} needs the records from 1 on, of which 2 are gone. Run sentinel topics, so that no setting removes more; then stop all services, empty both stores and restore a backup`,
      });

      const group = randomUUID();
      const { ids, ended, stop } = await consumed(log, spec.name, group);
      await t.rejects(ended, lost(group));
      t.strictSame(ids.slice(1), [], 'nothing behind the hole is handled');
      await stop();
      await t.rejects(readAll(log, spec), lost('a read'));
      const tail = await log.tail(spec.name, new Map([[0, 0]]), () => undefined);
      await t.rejects(tail.failed, lost('a tail'));
      await tail.stop();

      const whole: string[] = [];
      for await (const { records } of log.read(spec.name, 0, 3)) whole.push(...records.map(({ id }) => id));
      t.strictSame(whole, ['3', '4'], 'who has what is gone goes on');
    },
  );
}
