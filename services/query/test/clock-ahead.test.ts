/** Tests that a clock which was ahead for a minute keeps no silent device, and no silent file, in contact. */
import t, { type Test } from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { appendChain, FileHistory } from './chain-records.ts';
import { createPlace, type Place } from './place.ts';
import { DEVICE, eventually } from './world.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SILENT_MS = 4 * DEVICE.healthInterval * SECOND_MS;

interface Here extends Place {
  readonly apiKey: string;
}

/** Sends a heartbeat and waits until reads show it. */
async function beat({ world, apiKey, orgId, deviceId, fileId }: Here): Promise<void> {
  const timestamp = new Date(world.clock.now()).toISOString();
  const heartbeat = {
    ...{ timestamp, instanceId: '01890000-0000-7000-8000-000000000000', agentVersion: '1.0.0' },
    ...{ queue: 0, oldestUnsent: null, files: [{ id: fileId, checkedAt: timestamp }] },
  };
  const before = (await world.store.get('device_contacts', deviceId))?.rev ?? 0;
  const path = `/devices/health/${orgId}/${deviceId}`;
  const { status, body } = await world.call('POST', path, heartbeat, { 'x-api-key': apiKey });
  if (status !== 200) throw new Error(`the heartbeat was answered ${status}: ${JSON.stringify(body)}`);
  await eventually(async () => {
    const contact = await world.store.get('device_contacts', deviceId);
    return (contact?.rev ?? 0) > before || undefined;
  });
}

async function report({ world, history }: Place, rev: number): Promise<void> {
  const now = new FileHistory(history.key, world.clock.now() - 1);
  const record = { ...now.baseline(), rev };
  await appendChain(world.eventLog, [record]);
  await eventually(async () => {
    const state = await world.store.get('file_states', history.key.fileId);
    return state?.rev === rev || undefined;
  });
}

/** Waits until processes have told each other of the step. */
const stepIsKnown = ({ world }: Place): Promise<true> =>
  eventually(
    async () => (await world.store.get('clock_marks', 'clock'))?.['until'] !== undefined || undefined,
  );

/** Returns the device and its file as lists show them, and the counts. */
async function shown({ world, orgId, deviceId }: Place) {
  // The session of before may have ended.
  const admin = await world.signIn('ada@example.org');
  const { body: list } = await admin.call('GET', `/devices/${orgId}`);
  const { body: device } = await admin.call('GET', `/devices/${orgId}/${deviceId}`);
  const { body: dashboard } = await admin.call('GET', `/dashboard/${orgId}`);
  return {
    statuses: [device.status, list.devices[0].status, dashboard.devices[0].status],
    contact: device.files[0].contact,
    lost: dashboard.performance.numberOfFilesWithoutContact,
    lastContact: Date.parse(device.lastContact),
  };
}

/** A device that made contact while the clock was three days ahead for a minute. Returns when the clock was put right. */
async function afterStep(t: Test): Promise<{ readonly here: Here; readonly right: number }> {
  const place = await createPlace(t);
  const { admin, orgId, deviceId } = place;
  const { apiKey } = (await admin.call('GET', `/devices/${orgId}/${deviceId}`)).body;
  const here = { ...place, apiKey };
  const { clock } = here.world;
  await report(here, 1);
  await beat(here);
  clock.advance(3 * DAY_MS);
  await report(here, 2);
  await beat(here);
  const right = clock.now() - 3 * DAY_MS + 60 * SECOND_MS;
  clock.set(right);
  await stepIsKnown(here);
  return { here, right };
}

t.test('a device that is silent since then is not active after three intervals, then or later', async (t) => {
  const { here, right } = await afterStep(t);
  const { clock } = here.world;
  matchWhole(t, await shown(here), { statuses: ['ACTIVE', 'ACTIVE', 'ACTIVE'], contact: 'OK' });
  for (const at of [right + SILENT_MS, right + DAY_MS, right + 3 * DAY_MS, right + 3 * DAY_MS + HOUR_MS]) {
    clock.set(at);
    const { statuses, contact, lost, lastContact } = await shown(here);
    t.same(statuses, ['NON_ACTIVE', 'NON_ACTIVE', 'NON_ACTIVE'], new Date(at).toISOString());
    t.equal(contact, 'LOST');
    t.equal(lost, 1);
    t.ok(lastContact <= right, 'the contact is not shown at a time that has not been');
  }
});

t.test('one that goes on is active, and lost when it falls silent', async (t) => {
  const { here, right } = await afterStep(t);
  const { clock } = here.world;
  clock.set(right + SILENT_MS);
  await report(here, 3);
  await beat(here);
  matchWhole(t, await shown(here), { statuses: ['ACTIVE', 'ACTIVE', 'ACTIVE'], contact: 'OK', lost: 0 });
  clock.set(right + SILENT_MS + HOUR_MS);
  matchWhole(t, await shown(here), {
    statuses: ['NON_ACTIVE', 'NON_ACTIVE', 'NON_ACTIVE'],
    contact: 'LOST',
    lost: 1,
  });
});

t.test('heartbeats alone do not carry the contact of a file that was last reported then', async (t) => {
  const { here, right } = await afterStep(t);
  const { clock } = here.world;
  for (const hours of [1, 2, 4]) {
    clock.set(right + hours * HOUR_MS);
    await beat(here);
  }
  matchWhole(t, await shown(here), { statuses: ['ACTIVE', 'ACTIVE', 'ACTIVE'], contact: 'LOST', lost: 1 });
});
