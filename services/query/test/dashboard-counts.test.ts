/** Tests the dashboard's counts: complete, and without anything unknown. */
import t from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { appendHeartbeat, heartbeat, uuid } from './chain-records.ts';
import { createPlace, placeIn, type Place } from './place.ts';
import { createWorld, DEVICE, eventually, FILE } from './world.ts';

const MINUTE_MS = 60_000;
const shared = await createWorld(t);
const dashboard = async ({ admin, orgId }: Place) => (await admin.call('GET', `/dashboard/${orgId}`)).body;

/** Sends a heartbeat that names the files as checked now. */
async function beat({ world, orgId, deviceId }: Place, fileIds: readonly string[]): Promise<void> {
  const now = world.clock.now();
  const files = fileIds.map((id) => ({ id, checkedAt: now }));
  await appendHeartbeat(world.eventLog, heartbeat({ orgId, deviceId }, now, files));
  await eventually(async () =>
    (await world.store.get('device_contacts', deviceId))?.rev === now ? true : undefined,
  );
}

t.test('[S3.18] a file that was never checked waits, counted neither way, and is then lost', async (t) => {
  const here = await placeIn(shared);
  const { world, admin, orgId, deviceId, fileId } = here;
  const performance = async () => (await dashboard(here)).performance;
  const before = await performance();
  t.match(before, { performance: null, numberOfFilesWaiting: 1, numberOfFilesWithoutContact: 0 });
  const second = { ...FILE, name: 'Second', path: 'second.log' };
  await admin.call('PUT', `/devices/files/${orgId}/${deviceId}`, { files: [second] });
  world.clock.advance(60 * MINUTE_MS);
  t.match(
    await performance(),
    { performance: null, numberOfFilesWaiting: 2 },
    'the device was never heard of',
  );

  await here.firstReport();
  await beat(here, [fileId]);
  t.match(
    await performance(),
    { performance: 100, numberOfFilesMonitored: 2, numberOfFilesWaiting: 1 },
    'an hour after it was added, but the device was heard of only now',
  );
  for (let n = 0; n < 3; n++) {
    world.clock.advance(MINUTE_MS);
    await beat(here, [fileId]);
  }
  t.match(
    await performance(),
    { performance: 100, numberOfFilesWaiting: 1 },
    'three intervals: it may still come',
  );
  world.clock.advance(1);
  const lost = await performance();
  t.match(lost, { performance: 50, numberOfFilesWaiting: 0, numberOfFilesWithoutContact: 1 });
  matchList(t, lost.noContactFiles, [{ name: 'Second', deviceId, deviceName: DEVICE.name }]);
});

t.test('[S3.18] heartbeats alone keep no file in contact: they carry contact between reports', async (t) => {
  const here = await placeIn(shared);
  const { world, admin, orgId, deviceId, fileId } = here;
  const shown = async () => {
    const { performance } = await dashboard(here);
    const { body: file } = await admin.call('GET', `/files/${orgId}/${deviceId}/${fileId}`);
    const { performance: share, numberOfFilesWaiting, numberOfFilesWithoutContact } = performance;
    return { share, numberOfFilesWaiting, numberOfFilesWithoutContact, contact: file.contact };
  };
  const inContact = { share: 100, numberOfFilesWaiting: 0, numberOfFilesWithoutContact: 0, contact: 'OK' };
  await beat(here, [fileId]);
  t.same(await shown(), inContact, 'the agent says that it was checked');
  for (let n = 0; n < 3; n++) {
    world.clock.advance(MINUTE_MS);
    await beat(here, [fileId]);
  }
  t.same(await shown(), inContact, 'three intervals: a report may still come');
  world.clock.advance(1);
  const lost = { share: 0, numberOfFilesWaiting: 0, numberOfFilesWithoutContact: 1, contact: 'LOST' };
  t.same(await shown(), lost, 'heartbeats name it as checked, and no report came');
  await here.firstReport();
  t.same(await shown(), inContact);
  for (let n = 0; n < 4; n++) {
    world.clock.advance(MINUTE_MS);
    await beat(here, [fileId]);
  }
  t.same(await shown(), inContact, 'from then on heartbeats carry it');
});

t.test('files without contact and files that are off are counted, however many are named', async (t) => {
  const here = await placeIn(shared);
  const { world, admin, orgId, deviceId } = here;
  const files = Array.from({ length: 30 }, (_, n) => {
    return { ...FILE, name: `File ${n}`, path: `logs/${n}.log`, enabled: n < 18 };
  });
  await admin.call('PUT', `/devices/files/${orgId}/${deviceId}`, { files });
  const off = { ...DEVICE, name: 'Off', monitoring: false };
  const { body: created } = await admin.call('POST', `/devices/${orgId}`, off);
  await beat(here, []);
  world.clock.advance(4 * MINUTE_MS);
  const found = await dashboard(here);
  t.match(found.performance, { performance: 0, numberOfFilesWithoutContact: 19, numberOfFilesMonitored: 19 });
  t.equal(found.performance.noContactFiles.length, 10, 'ten of a device are named');
  t.same(found.performance.noContactDevices, [{ id: deviceId, name: DEVICE.name, files: 19 }]);
  t.same(found.notMonitored, { devices: 1, files: 12 });
  matchList(
    t,
    found.devices.map(({ id }: { id: string }) => id),
    [created.id, deviceId],
  );
});

t.test('events and alerts are counted by hour', async (t) => {
  const here = await createPlace(t);
  const { world, history } = here;
  const hours = async () => (await dashboard(here)).activity;
  history.baseline();
  for (let n = 0; n < 3; n++) history.breach();
  await here.write();
  const first = await hours();
  t.equal(first.length, 24);
  t.same(first.at(-1), { start: '2026-11-21T10:00:00.000Z', events: 5, alerts: 3 });
  t.same(
    first.slice(0, -1).filter(({ events }: { events: number }) => events > 0),
    [],
  );
  world.clock.advance(60 * MINUTE_MS);
  const second = await hours();
  t.same(second.at(-2), first.at(-1));
  t.same(second.at(-1), { start: '2026-11-21T11:00:00.000Z', events: 0, alerts: 0 });
  t.same((await hours()).at(-2), first.at(-1), 'kept');
});

t.test('devices are counted one by one, those that have something to count', async (t) => {
  const here = await placeIn(shared);
  const { world, admin, orgId, deviceId, history } = here;
  const counts = async () => (await admin.call('GET', `/dashboard/${orgId}/devices`)).body;
  await admin.call('POST', `/devices/${orgId}`, { ...DEVICE, name: 'Quiet' });
  t.same(await counts(), { devices: [] });
  history.baseline();
  for (let n = 0; n < 2; n++) history.breach();
  await here.write();
  t.same(await counts(), { devices: [{ id: deviceId, activeAlerts: 2, filesWithoutContact: 0 }] });
  world.clock.advance(60 * MINUTE_MS);
  t.same(await counts(), { devices: [{ id: deviceId, activeAlerts: 2, filesWithoutContact: 1 }] });
});

t.test('a file that is gone says so, also when its alert is dismissed and heartbeats name it', async (t) => {
  const here = await placeIn(shared);
  const { admin, orgId, deviceId, fileId, history } = here;
  const file = async () => (await admin.call('GET', `/files/${orgId}/${deviceId}/${fileId}`)).body;
  history.baseline();
  await here.write();
  t.notHas(await file(), { missing: true });
  const gone = history.breach('EMPTY');
  const [alert] = gone.alerts;
  const handled = history.handled(alert!.id, { id: uuid(1), email: 'ada@example.org', note: 'removed' });
  history.records.splice(0);
  for (const record of [gone, handled])
    history.records.push({ ...record, file: { ...record.file!, missing: true } });
  await here.write();
  await beat(here, [fileId]);
  t.match(await file(), { missing: true, contact: 'OK', activeAlerts: 0 });
  const { body: listed } = await admin.call('GET', `/devices/${orgId}/${deviceId}`);
  matchList(t, listed.files, [{ id: fileId, missing: true }]);
});
