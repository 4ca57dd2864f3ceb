/** Tests the dashboard's counts: complete, and without anything unknown. */
import t from 'tap';
import { TOPICS, type Parking } from '@sentinel-node/contracts';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { appendChain, appendHeartbeat, heartbeat, uuid } from './chain-records.ts';
import { createPlace, placeIn, type Place } from './place.ts';
import { openStream } from './sse-client.ts';
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

/** One record that cannot be judged; it is letter 0 of its parking. */
const PARKED = { parking: 7, offset: 7, index: 0, outcome: 'PARKED', letters: 1, replayed: 0 } as const;

/** Writes the verifier's record of a parking. */
async function parking({ world }: Place, fileId: string, rev: number, of: Parking): Promise<void> {
  const record = { v: 1, kind: 'parking', rev, timestamp: world.clock.now(), parking: of };
  const body = Buffer.from(JSON.stringify(record));
  await world.eventLog.append(TOPICS.chain, [{ key: fileId, id: `${fileId}:${rev}`, body }]);
}

/** Waits until the dashboard says of so many files that they are not judged. */
const notJudgedOnce = (here: Place, files: number | undefined) =>
  eventually(async () => {
    const found = await dashboard(here);
    return found.notJudged?.files === files ? found : undefined;
  });

t.test('files with a record that could not be judged are counted, whether monitored or not', async (t) => {
  const [here, other] = [await placeIn(shared), await placeIn(shared)];
  const { admin, orgId, deviceId, fileId } = here;
  const more = Array.from({ length: 11 }, (_, n) => ({ ...FILE, name: `File ${n}`, path: `logs/${n}.log` }));
  const added = await admin.call('PUT', `/devices/files/${orgId}/${deviceId}`, { files: more });
  const { id: secondId } = (await admin.call('POST', `/devices/${orgId}`, { ...DEVICE, name: 'Second' }))
    .body;
  const path = `/devices/files/${orgId}/${secondId}`;
  const second = await admin.call('PUT', path, { files: [{ ...FILE, name: 'Apart' }] });
  const [apart] = second.body.files;
  const ids = added.body.files.map(({ id }: { id: string }) => id) as string[];
  t.equal((await dashboard(here)).notJudged, undefined);
  for (const id of [...ids, apart.id]) await parking(here, id, 1, { ...PARKED, cause: 'it cannot be read' });
  const { notJudged, health } = await notJudgedOnce(here, 13);
  t.equal(notJudged.atLeast, false);
  matchList(t, notJudged.named, [
    ...ids.slice(0, 10).map((id) => ({ id, deviceId, deviceName: DEVICE.name })),
    { id: apart.id, name: 'Apart', deviceId: secondId, deviceName: 'Second' },
  ]);
  t.equal(notJudged.named[0].name, FILE.name);
  t.equal(health.percent, 100, 'as the specification counts it');
  t.equal((await dashboard(other)).notJudged, undefined, 'of nobody else');
  const counts = async () => (await admin.call('GET', `/dashboard/${orgId}/devices`)).body;
  const none = { activeAlerts: 0, filesWithoutContact: 0 };
  t.strictSame(await counts(), {
    devices: [
      { id: secondId, ...none, filesNotJudged: 1 },
      { id: deviceId, ...none, filesNotJudged: 12 },
    ],
  });

  const [first] = added.body.files;
  await admin.call('PUT', `/devices/files/${orgId}/${deviceId}`, { files: [{ ...first, enabled: false }] });
  t.equal((await dashboard(here)).notJudged.files, 13, 'an alert can be in what waits');
  await admin.call('DELETE', `/files/${orgId}/${deviceId}/${ids[1]}`);
  await admin.call('PUT', `/devices/delete/${orgId}/${secondId}`, { forced: true });
  t.equal((await dashboard(here)).notJudged.files, 11, 'what is deleted has left the dashboard');
  t.strictSame(await counts(), { devices: [{ id: deviceId, ...none, filesNotJudged: 11 }] });

  const skipped = { ...PARKED, offset: 8, outcome: 'SKIPPED', replayed: 1 } as const;
  for (const id of ids.filter((id) => id !== fileId)) await parking(here, id, 2, skipped);
  matchList(t, (await notJudgedOnce(here, 1)).notJudged.named, [{ id: fileId }]);
  await parking(here, fileId, 2, skipped);
  await notJudgedOnce(here, undefined);
  t.strictSame(await counts(), { devices: [] });
});

t.test('open consoles hear at once that a file was parked, and that it was freed', async (t) => {
  const here = await placeIn(shared);
  const { world, admin, orgId, deviceId, fileId, history } = here;
  history.baseline();
  await here.write();
  const stream = await openStream(t, world, admin, orgId);
  await stream.next(({ event }) => event === 'ready');
  /** Waits for the next summary that has so many files. */
  const told = async (files: number | undefined): Promise<void> => {
    const seen = stream.frames.length;
    const summary = await stream.next(
      (frame) =>
        stream.frames.indexOf(frame) >= seen &&
        frame.event === 'summary' &&
        frame.data.notJudged?.files === files,
    );
    if (files !== undefined)
      matchWhole(t, summary.data.notJudged, { files, atLeast: false, named: [{ id: fileId, deviceId }] });
  };
  let rev = history.rev;
  await Promise.all([told(1), parking(here, fileId, ++rev, { ...PARKED, cause: 'it cannot be read' })]);
  await stream.next(({ event, data }) => event === 'file' && data.parked?.waiting === 1);
  await Promise.all([
    told(undefined),
    parking(here, fileId, ++rev, { ...PARKED, offset: 8, outcome: 'SKIPPED', replayed: 1 }),
  ]);
  const again = { ...PARKED, parking: 9, offset: 9 };
  await Promise.all([told(1), parking(here, fileId, ++rev, { ...again, cause: 'it cannot be read' })]);
  const judged = history.link();
  const record = {
    ...judged,
    rev: rev + 1,
    parking: { ...again, offset: 10, outcome: 'REPLAYED' as const, replayed: 1 },
  };
  await Promise.all([told(undefined), appendChain(world.eventLog, [record])]);
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
