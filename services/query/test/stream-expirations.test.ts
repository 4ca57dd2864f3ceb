/** Tests that changes of time alone are correct on every read, and sent to every stream. */
import t from 'tap';
import { systemTimers } from '@sentinel-node/platform';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { appendChain, appendHeartbeat, FileHistory, heartbeat } from './chain-records.ts';
import { createPlace, type Place } from './place.ts';
import { openStream, type SseClient } from './sse-client.ts';
import { DEVICE, eventually, FILE } from './world.ts';

/** Sends a heartbeat with the time of the file's check. */
async function beat({ world, orgId, deviceId, fileId }: Place, checkedAt = world.clock.now()): Promise<void> {
  const now = world.clock.now();
  const record = heartbeat({ orgId, deviceId }, now, [{ id: fileId, checkedAt }]);
  await appendHeartbeat(world.eventLog, record);
  await eventually(async () => {
    const seen = await world.store.get('device_activity', deviceId);
    return seen?.rev === now ? true : undefined;
  });
}

/** Returns the id of the record with the contact of now. */
async function idOfContact({ frames, next }: SseClient, { world }: Place): Promise<string | undefined> {
  const contact = await next(
    ({ event, data }) => event === 'device' && Date.parse(data.lastContact) === world.clock.now(),
  );
  // The last frame of a record has its id.
  const { id } = await next(
    (frame) => frame.id !== undefined && frames.indexOf(frame) >= frames.indexOf(contact),
  );
  return id;
}

const dashboard = async ({ admin, orgId }: Place) => (await admin.call('GET', `/dashboard/${orgId}`)).body;
const MINUTE = 60_000;

t.test(
  'a device that falls silent is told of when its time is over, and again when it is back',
  async (t) => {
    const here = await createPlace(t);
    const { world, admin, orgId, deviceId, fileId } = here;
    await here.firstReport();
    await beat(here);
    const stream = await openStream(t, world, admin, orgId);
    await stream.next(({ event }) => event === 'ready');
    world.clock.advance(3 * MINUTE - 1);
    matchWhole(t, await dashboard(here), { performance: { performance: 100, noContactFiles: [] } });
    world.clock.advance(1);
    const now = await dashboard(here);
    matchList(t, now.devices, [{ id: deviceId, status: 'NON_ACTIVE' }], 'read so without any tick');
    matchWhole(t, now.performance, {
      performance: 0,
      noContactFiles: [{ id: fileId, deviceName: DEVICE.name }],
    });

    const device = await stream.next(({ event, data }) => event === 'device' && data.status === 'NON_ACTIVE');
    t.equal(device.data.id, deviceId);
    const file = await stream.next(({ event, data }) => event === 'file' && data.contact === 'LOST');
    t.equal(file.data.id, fileId);
    const lost = await stream.next(
      ({ event, data }) => event === 'summary' && data.performance.performance === 0,
    );
    matchWhole(t, lost.data.performance, { numberOfDevicesActive: 0, noContactFiles: [{ id: fileId }] });

    const seen = stream.frames.length;
    await beat(here);
    const back = await stream.next(
      (frame) =>
        stream.frames.indexOf(frame) >= seen &&
        frame.event === 'summary' &&
        frame.data.performance.performance === 100,
    );
    t.same(back.data.performance.noContactFiles, []);
  },
);

t.test('a report brings a silent device back in open consoles, before any heartbeat does', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId, deviceId, history } = here;
  await here.firstReport();
  await beat(here);
  const stream = await openStream(t, world, admin, orgId);
  await stream.next(({ event }) => event === 'ready');
  world.clock.advance(3 * MINUTE);
  await stream.next(({ event, data }) => event === 'device' && data.status === 'NON_ACTIVE');
  const seen = stream.frames.length;
  history.passTo(world.clock.now());
  history.baseline();
  await here.write();
  const back = await stream.next(
    (frame) =>
      stream.frames.indexOf(frame) >= seen && frame.event === 'device' && frame.data.status === 'ACTIVE',
  );
  t.equal(back.data.id, deviceId);
});

t.test('a device that falls silent after the clock was set back is told of', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId, deviceId } = here;
  const stream = await openStream(t, world, admin, orgId);
  await stream.next(({ event }) => event === 'ready');
  world.clock.advance(-10 * MINUTE);
  await here.firstReport();
  world.clock.advance(1);
  await beat(here);
  await idOfContact(stream, here);
  world.clock.advance(3 * MINUTE);
  const device = await stream.next(({ event, data }) => event === 'device' && data.status === 'NON_ACTIVE');
  t.equal(device.data.id, deviceId);
});

t.test('who comes back is told of what expired meanwhile, though nothing was written', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId, deviceId, fileId } = here;
  await here.firstReport();
  await beat(here);
  const [away, stayed] = [await openStream(t, world, admin, orgId), await openStream(t, world, admin, orgId)];
  await away.next(({ event }) => event === 'ready');
  world.clock.advance(1);
  await beat(here);
  const id = await idOfContact(stayed, here);
  away.close();
  world.clock.advance(3 * MINUTE);
  const told = await stayed.next(
    ({ event, data }) => event === 'summary' && data.performance.performance === 0,
  );
  t.equal(told.id, id, 'with the id that was the last before');
  const again = await openStream(t, world, admin, orgId, id);
  const device = await again.next(({ event, data }) => event === 'device' && data.status === 'NON_ACTIVE');
  t.equal(device.data.id, deviceId);
  const file = await again.next(({ event, data }) => event === 'file' && data.contact === 'LOST');
  t.equal(file.data.id, fileId);
  await again.next(({ event, data }) => event === 'summary' && data.performance.performance === 0);
});

t.test('who comes back a moment after an expiration was told hears of it too', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId, deviceId } = here;
  await here.firstReport();
  await beat(here);
  const stayed = await openStream(t, world, admin, orgId);
  await stayed.next(({ event }) => event === 'ready');
  world.clock.advance(1);
  await beat(here);
  const id = await idOfContact(stayed, here);
  const first = stayed.frames.find((frame) => frame.id !== undefined)!.id;
  world.clock.advance(3 * MINUTE - 1);
  const before = await openStream(t, world, admin, orgId, first);
  await before.next(({ event }) => event === 'device');
  world.clock.advance(1);
  await stayed.next(({ event, data }) => event === 'device' && data.status === 'NON_ACTIVE');
  const after = await openStream(t, world, admin, orgId, id);
  const device = await after.next(({ event, data }) => event === 'device' && data.status === 'NON_ACTIVE');
  t.equal(device.data.id, deviceId);
});

t.test('a file is lost by its own interval while its device is well', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId, fileId } = here;
  await here.firstReport();
  await beat(here);
  const checkedAt = world.clock.now();
  const stream = await openStream(t, world, admin, orgId);
  await stream.next(({ event }) => event === 'ready');
  world.clock.advance(2 * MINUTE);
  await beat(here, checkedAt);
  await stream.next(({ event, data }) => event === 'device' && Date.parse(data.lastContact) > checkedAt);
  world.clock.advance(MINUTE + 1);
  const file = await stream.next(({ event, data }) => event === 'file' && data.contact === 'LOST');
  t.match(file.data, { id: fileId, lastContact: new Date(checkedAt).toISOString() });
  matchList(t, (await dashboard(here)).devices, [{ status: 'ACTIVE' }]);
});

t.test('a summary that says the same is not told again', async (t) => {
  const here = await createPlace(t);
  await here.firstReport();
  await beat(here);
  const stream = await openStream(t, here.world, here.admin, here.orgId);
  await stream.next(({ event }) => event === 'summary');
  for (let n = 0; n < 3; n++) {
    here.world.clock.advance(1_000);
    await beat(here);
    const lastContact = new Date(here.world.clock.now()).toISOString();
    await stream.next(({ event, data }) => event === 'device' && data.lastContact === lastContact);
  }
  t.equal(stream.frames.filter(({ event }) => event === 'summary').length, 1);
});

t.test('what is switched on again is not lost before it could be checked', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId, deviceId, fileId } = here;
  await here.firstReport();
  await beat(here);
  const checkedAt = world.clock.now();
  const save = (enabled: boolean) =>
    admin.call('PUT', `/devices/${orgId}/${deviceId}`, {
      ...DEVICE,
      monitoring: undefined,
      enabled,
      disabledNote: enabled ? null : 'moving',
      emailAddress: 'ada@example.org',
      files: [],
    });
  t.equal((await save(false)).status, 200);
  world.clock.advance(60 * MINUTE);
  // The agent still sends heartbeats, but checks nothing.
  await beat(here, checkedAt);
  matchWhole(
    t,
    (await dashboard(here)).performance,
    { performance: null, noContactFiles: [] },
    'nothing is monitored',
  );
  const switched = await save(true);
  t.equal(switched.status, 200);
  t.notMatch(JSON.stringify(switched.body), /enabledAt/);
  await eventually(async () => {
    const [device] = (await dashboard(here)).devices;
    return device.status === 'ACTIVE' ? true : undefined;
  });
  const contact = async () => (await admin.call('GET', `/files/${orgId}/${deviceId}/${fileId}`)).body.contact;
  t.equal(await contact(), 'WAITING', 'nor in contact by a check of an hour ago');
  matchWhole(t, (await dashboard(here)).performance, { performance: null, numberOfFilesWaiting: 1 });
  world.clock.advance(3 * MINUTE);
  await beat(here, checkedAt);
  await eventually(async () => ((await dashboard(here)).devices[0].status === 'ACTIVE' ? true : undefined));
  t.equal(await contact(), 'WAITING');
  world.clock.advance(1);
  t.equal(await contact(), 'LOST');
});

t.test('a check that becomes too old after monitoring began again is told of by time alone', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId, deviceId, fileId } = here;
  await here.firstReport();
  await beat(here);
  const checkedAt = world.clock.now();
  const stream = await openStream(t, world, admin, orgId);
  await stream.next(({ event }) => event === 'ready');
  for (const enabled of [false, true]) {
    world.clock.advance(MINUTE);
    const files = [{ ...FILE, id: fileId, enabled }];
    const saved = await admin.call('PUT', `/devices/files/${orgId}/${deviceId}`, { files });
    t.equal(saved.status, 200);
  }
  await beat(here, checkedAt);
  const read = await admin.call('GET', `/files/${orgId}/${deviceId}/${fileId}`);
  t.match(read.body, { enabled: true, contact: 'OK' }, 'two minutes old');
  world.clock.advance(MINUTE + 1);
  const file = await stream.next(({ event, data }) => event === 'file' && data.contact === 'WAITING');
  t.equal(file.data.id, fileId);
  await stream.next(
    ({ event, data }) =>
      event === 'summary' && data.performance.numberOfFilesWaiting === 1 && data.rev > checkedAt,
  );
});

t.test('under constant traffic an expiration is told as well', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId, deviceId } = here;
  await here.firstReport();
  await beat(here);
  const other = await secondFile(here);
  const getMany = world.store.getMany.bind(world.store);
  // Slower than the records come, so that there is always one that waits.
  world.store.getMany = async (collection, ids) => {
    if (collection === 'events') await systemTimers.delay(100);
    return getMany(collection, ids);
  };
  const stream = await openStream(t, world, admin, orgId);
  await stream.next(({ event }) => event === 'ready');
  world.clock.advance(3 * MINUTE);
  const history = new FileHistory(other, world.clock.now());
  history.baseline();
  let isOver = false;
  const traffic = (async () => {
    while (!isOver) {
      history.breach('EMPTY');
      await appendChain(world.eventLog, history.records.splice(0));
      await systemTimers.delay(10);
    }
  })();
  t.teardown(() => {
    isOver = true;
    return traffic;
  });
  await stream.next(({ event }) => event === 'alert');
  const device = await stream.next(({ event, data }) => event === 'device' && data.status === 'NON_ACTIVE');
  t.equal(device.data.id, deviceId);
});

/** Adds another device with a file, whose records are traffic. */
async function secondFile({ admin, orgId }: Place) {
  const path = `/devices/${orgId}`;
  const deviceId = (await admin.call('POST', path, { ...DEVICE, name: 'Another' })).body.id as string;
  const added = await admin.call('PUT', `/devices/files/${orgId}/${deviceId}`, { files: [FILE] });
  return { orgId, deviceId, fileId: added.body.files[0].id as string };
}
