import { randomUUID } from 'node:crypto';
import t from 'tap';
import { startKafka } from '@sentinel-node/test-kit/test-servers';
import { openLog, record, topic, until } from './kafka-harness.ts';

t.setTimeout(300_000);

/** Far longer than a heartbeat, so that a busy machine does not look like a lost group. */
const SHORT = { groupAbsenceMs: 3_000, heartbeatIntervalMs: 100, joinWaitMs: 100 };

const kafka = await startKafka(t);
for (const ownThread of kafka === undefined ? [] : [false, true]) {
  const where = ownThread ? ', with Kafka on a thread of its own' : '';
  await t.test(`a consumer that its group does not let in is told until it is in${where}`, async (t) => {
    const spec = topic(2);
    const group = `absent-${randomUUID()}`;
    const holder = await openLog(t, kafka!.brokers, [spec]);
    await holder.append(spec.name, [record('a')]);
    let finish: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    let hold: () => void = () => undefined;
    const holding = new Promise<void>((resolve) => (hold = resolve));
    await holder.consume([spec.name], group, () => {
      hold();
      return held;
    });
    await holding;
    const other = await openLog(t, kafka!.brokers, [spec], { limits: SHORT, ownThread });
    t.strictSame(other.absentGroups(), []);
    const subscription = await other.consume([spec.name], group, () => Promise.resolve());
    await until('it is told', () => other.absentGroups().includes(group));
    t.ok(other.reachable(), 'though the brokers answer');
    t.strictSame(holder.absentGroups(), [], 'who holds the group up is a member');
    finish();
    await until('it is in', () => other.absentGroups().length === 0);
    await subscription.stop();
    t.strictSame(other.absentGroups(), [], 'what was stopped on purpose is missed by nobody');
  });
}
