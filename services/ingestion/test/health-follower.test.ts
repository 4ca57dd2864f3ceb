/** Tests how a process learns from the log what others heard. */
import t, { type Test } from 'tap';
import { TOPICS, type HealthRecord } from '@sentinel-node/contracts';
import { silentLog, type RecordBatch, type StoredRecord } from '@sentinel-node/platform';
import { HeardDevices } from '../src/heard-devices.ts';
import { HealthFollower, healthRecordId } from '../src/health-follower.ts';
import { INGESTION_LIMITS } from '../src/limits.ts';
import { deviceEntity, NOW } from './support.ts';

const AT = '2026-11-21T10:00:00.000Z';
const EARLIER = '2026-11-21T09:59:00.000Z';
const LATER = '2026-11-21T10:01:00.000Z';
const device = deviceEntity();

const heartbeat = (timestamp: string) => ({
  ...{ timestamp, instanceId: 'one', agentVersion: '1', queue: 0, oldestUnsent: null, files: [] },
});

function stored(
  timestamp: string,
  { deviceId = device.id, by = 'other', receivedAt = NOW } = {},
): StoredRecord {
  const record: HealthRecord = {
    ...{ v: 1, orgId: device.orgId, deviceId, receivedAt, heartbeat: heartbeat(timestamp) },
  };
  const body = Buffer.from(JSON.stringify(record));
  return { key: deviceId, id: healthRecordId(deviceId, receivedAt, by), body, partition: 0, offset: 0 };
}

/** A log whose tail the test feeds and ends. */
function startFollower(t: Test) {
  const tails: { give: (...records: StoredRecord[]) => void; fail: (error: Error) => void }[] = [];
  let refusal: Error | undefined;
  let again = () => Promise.resolve();
  let stopped = 0;
  const heard = new HeardDevices(2);
  const follower = new HealthFollower({
    knows: (deviceId) => heard.knows(deviceId),
    learn: (record) => heard.learn(record, NOW),
    processName: 'this',
    limits: INGESTION_LIMITS,
    log: silentLog(),
    timers: {
      every: (_, task) => {
        again = task;
        return { stop: () => Promise.resolve(), failed: new Promise(() => undefined) };
      },
    },
    eventLog: {
      tail: (topic, from, onBatch: (batch: RecordBatch) => void) => {
        if (refusal !== undefined) return Promise.reject(refusal);
        const failed = new Promise<never>((_, reject) =>
          tails.push({
            give: (...records) => onBatch({ topic, partition: 0, records }),
            fail: reject,
          }),
        );
        t.same([topic, from], [TOPICS.deviceHealth, 'end']);
        const stop = () => Promise.resolve(void (stopped += 1));
        return Promise.resolve({ failed, stop, isFollowing: () => true });
      },
    },
  });
  return {
    ...{ follower, heard, tails },
    refuse: (error: Error | undefined) => (refusal = error),
    again: () => again(),
    stops: () => stopped,
    take: (timestamp: string) => heard.take(device, heartbeat(timestamp), NOW)?.receivedAt,
  };
}

t.test('heartbeats of others count, of devices that are heard here', async (t) => {
  const { follower, heard, tails, take } = startFollower(t);
  await follower.start();
  const [tail] = tails;
  tail!.give(stored(LATER));
  t.notOk(heard.knows(device.id));
  t.equal(take(AT), NOW, 'nothing is learned of a device that was not heard here');
  tail!.give(stored(LATER, { by: 'this' }));
  t.equal(take(AT), NOW + 1, 'what this process kept is known');
  const unreadable = { ...stored(LATER), body: Buffer.from('{') };
  const unknown = { ...stored(LATER), body: Buffer.from('{"v":2}') };
  tail!.give(unreadable, unknown, stored(EARLIER, { receivedAt: NOW + 100 }), stored(LATER));
  t.equal(take(AT), undefined, 'older than that of the other process');
  t.equal(take(LATER), NOW + 101);
});

t.test('following goes on after a failure, and ends with the process', async (t) => {
  const { follower, tails, refuse, again, stops, take } = startFollower(t);
  refuse(new Error('no right'));
  await follower.start();
  t.equal(take(AT), NOW, 'heartbeats go on meanwhile');
  refuse(undefined);
  await again();
  await again();
  t.equal(tails.length, 1);
  tails[0]!.fail(new Error('gone'));
  await Promise.resolve();
  await again();
  t.equal(tails.length, 2);
  tails[1]!.give(stored(LATER));
  t.equal(take(AT), undefined);
  await follower.stop();
  t.equal(stops(), 1);
  await again();
  t.equal(tails.length, 2);
});
