/** Tests groups whose position is not in the log. */
import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { openKafkaEventLog } from '../src/kafka/index.ts';
import { startKafka } from '@sentinel-node/test-kit/test-servers';
import { adminOf, openLog, record, topic, until } from './kafka-harness.ts';

t.setTimeout(300_000);

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

  await t.test('a group behind the start of the log goes on at the start', async (t) => {
    const { spec, group, direct } = await scene(t, 'forever', 0);
    const partitions = [{ partition: 0, offset: '3' }];
    await admin.deleteTopicRecords({ topic: spec.name, partitions });
    const ids: string[] = [];
    const { stop } = await direct.consume([spec.name], group, async ({ records }) => {
      for (const { id } of records) ids.push(id);
    });
    await until('the rest is read', () => ids.length === 2);
    t.strictSame(ids, ['3', '4']);
    await stop();
  });
}
