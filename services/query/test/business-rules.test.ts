/** Tests rules of the specification that the server applies over several devices, files and people. */
import t, { type Test } from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { eventId, LIMITS, utf8 } from '@sentinel-node/contracts';
import type { AlertView } from '../src/views/index.ts';
import { appendChain, appendHeartbeat, FileHistory, heartbeat } from './chain-records.ts';
import { refuses, start } from './entity-checks.ts';
import { verifyClaims } from './small-verifier.ts';
import {
  createWorld,
  DEVICE,
  eventually,
  FILE,
  NO_LIMITS,
  untilShown,
  type Answer,
  type World,
} from './world.ts';

interface Watched {
  readonly deviceId: string;
  readonly fileId: string;
  readonly history: FileHistory;
}

/** Creates an organisation with this many devices, with one file each. */
async function fleet(t: Test, devices: number) {
  const world = await createWorld(t, NO_LIMITS);
  const admin = await world.organization('Acme', 'ada@example.org');
  const { orgId } = admin;
  const watched: Watched[] = [];
  for (let n = 0; n < devices; n++) {
    world.clock.advance(1);
    const device = await admin.call('POST', `/devices/${orgId}`, { ...DEVICE, name: `Server ${n}` });
    const deviceId = device.body.id as string;
    const added = await admin.call('PUT', `/devices/files/${orgId}/${deviceId}`, { files: [FILE] });
    const fileId = added.body.files[0].id as string;
    const history = new FileHistory({ orgId, deviceId, fileId }, world.clock.now() + n);
    history.baseline();
    watched.push({ deviceId, fileId, history });
  }
  const dashboard = async () => (await admin.call('GET', `/dashboard/${orgId}`)).body;
  return { world, admin, orgId, watched, dashboard };
}

/** Appends a history's records and waits until reads show them. */
async function write({ eventLog, store }: World, { history, fileId }: Watched): Promise<void> {
  await appendChain(eventLog, history.records.splice(0));
  await eventually(async () =>
    (await store.get('file_states', fileId))?.rev === history.rev ? true : undefined,
  );
}
const ids = (items: readonly { readonly id: string }[]): string[] => items.map(({ id }) => id);

t.test('[S9.3] health and performance of three devices', async (t) => {
  const { world, admin, orgId, watched, dashboard } = await fleet(t, 3);
  const [first, second, third] = watched as [Watched, Watched, Watched];
  for (const one of watched) await write(world, one);
  matchWhole(t, await dashboard(), { health: { percent: 100, devicesWithActiveAlert: 0 }, alerts: [] });

  const [alert] = first.history.breach().alerts;
  await write(world, first);
  t.match(
    (await dashboard()).health,
    { percent: 67, devices: 3, devicesWithActiveAlert: 1 },
    '66.7 rounds up',
  );
  first.history.breach('UNEXPECTED_CHANGE');
  await write(world, first);
  t.equal((await dashboard()).health.percent, 67, 'a device counts once');
  const newest = [second.history.breach().alerts[0]!];
  newest.unshift(second.history.breach('EMPTY').alerts[0]!);
  await write(world, second);
  const ill = await dashboard();
  t.match(ill.health, { percent: 33, devicesWithActiveAlert: 2 }, '33.3 rounds down');
  t.equal(ill.activeAlerts, 4);
  t.equal(ill.alerts.length, 3, 'at most three');
  t.same(ids(ill.alerts).sort().reverse(), ids(ill.alerts), 'newest first');
  for (const { id } of newest) t.ok(ids(ill.alerts).includes(id));

  first.history.handled(alert!.id, { id: admin.session.userId, email: 'ada@example.org', note: 'known' });
  await write(world, first);
  t.equal((await dashboard()).health.percent, 33, 'another one of the device is still ACTIVE');

  const now = world.clock.now();
  const checked = [first, second].map(({ fileId }) => ({ id: fileId, checkedAt: now + 200_000 }));
  world.clock.set(now + 200_000);
  for (const [n, { deviceId }] of [first, second].entries()) {
    const beat = heartbeat({ orgId, deviceId }, now + 200_000, [checked[n]!]);
    await appendHeartbeat(world.eventLog, beat);
  }
  const { performance } = await eventually(async () => {
    const { performance: found } = await dashboard();
    return found.noContactFiles.length === 1 ? { performance: found } : undefined;
  });
  t.match(performance, { numberOfDevicesDefined: 3, numberOfFilesDefined: 3, numberOfDevicesActive: 2 });
  t.equal(Math.round(performance.performance), 67, 'two of three files in contact');
  t.same(ids(performance.noContactFiles), [third.fileId]);
});

t.test('[S9.3] an ACTIVE alert counts for three calendar months', async (t) => {
  const { world, orgId, watched, dashboard } = await fleet(t, 3);
  const [alert] = watched[0]!.history.breach().alerts;
  await write(world, watched[0]!);
  const until = new Date(alert!.timestamp);
  until.setUTCMonth(until.getUTCMonth() + 3);
  const healthAt = async (ms: number) => {
    world.clock.set(ms);
    const again = await world.signIn('ada@example.org');
    return (await again.call('GET', `/dashboard/${orgId}`)).body;
  };
  t.equal((await dashboard()).health.percent, 67);
  t.equal((await healthAt(until.getTime())).health.percent, 67, 'to the moment');
  const later = await healthAt(until.getTime() + 1);
  t.match(later.health, { percent: 100, devicesWithActiveAlert: 0 });
  t.equal(later.activeAlerts, 1, 'and is ACTIVE all the same');

  watched[0]!.history.again(alert!.id, until.getTime());
  await write(world, watched[0]!);
  t.equal((await healthAt(until.getTime() + 1)).health.percent, 67, 'what goes on is not over');
});

t.test(
  '[S1.3] an organisation manages devices, files, users and alerts, each told by device and file',
  async (t) => {
    const { world, admin, orgId, watched } = await fleet(t, 2);
    const [one, other] = watched as [Watched, Watched];
    await verifyClaims(t, world.eventLog, one.history);
    const raised = one.history.breach().alerts[0]!;
    const foreign = other.history.breach('EMPTY').alerts[0]!;
    for (const each of watched) await write(world, each);
    const alerts = async (at: string) => ids((await admin.call('GET', `/alerts/${at}`)).body.alerts).sort();
    t.same(await alerts(orgId), [raised.id, foreign.id].sort());
    t.same(await alerts(`${orgId}/${one.deviceId}`), [raised.id]);
    t.same(await alerts(`${orgId}/${other.deviceId}`), [foreign.id]);
    const { alerts: all } = (await admin.call('GET', `/alerts/${orgId}`)).body;
    const fileOf = new Map(all.map((alert: { id: string; fileId: string }) => [alert.id, alert.fileId]));
    t.same([fileOf.get(raised.id), fileOf.get(foreign.id)], [one.fileId, other.fileId]);
    const events = async (at: string) =>
      (await admin.call('GET', `/events/${at}`)).body.events as { deviceId: string; fileId: string | null }[];
    t.same(
      new Set((await events(orgId)).map(({ deviceId }) => deviceId)),
      new Set([one.deviceId, other.deviceId]),
    );
    for (const { deviceId, fileId } of watched) {
      const ofDevice = await events(`${orgId}/${deviceId}`);
      t.ok(ofDevice.length > 0 && ofDevice.every((event) => event.deviceId === deviceId));
      const ofFile = await events(`${orgId}/${deviceId}/${fileId}`);
      t.ok(ofFile.length > 0 && ofFile.every((event) => event.fileId === fileId));
    }
    const turnOff = `/alerts/turnoff/${orgId}/${one.deviceId}/${one.fileId}/${raised.id}`;
    const dismissed = await untilShown(() =>
      admin.call('PUT', turnOff, { note: 'expected', status: 'RESOLVED' }),
    );
    t.match(dismissed, { status: 200, body: { id: raised.id, status: 'RESOLVED' } });
    const statuses = await Promise.all([
      admin.call('PUT', `/devices/files/${orgId}/${one.deviceId}`, { files: [{ ...FILE, path: 'two' }] }),
      admin.call('DELETE', `/files/${orgId}/${other.deviceId}/${other.fileId}`),
      admin.call('POST', `/users/${orgId}`, { name: 'B', email: 'b@example.org', type: 'REGULAR', orgId }),
    ]);
    t.same(
      statuses.map(({ status }) => status),
      [200, 200, 201],
    );
    t.equal((await admin.call('GET', `/users/${orgId}`)).body.users.length, 2);
    const gone = await admin.call('PUT', `/devices/delete/${orgId}/${other.deviceId}`, { forced: false });
    t.equal(gone.status, 200);
    t.same(ids((await admin.call('GET', `/devices/${orgId}`)).body.devices), [one.deviceId]);
  },
);

t.test('[S1.7] admins manage users and the payment provider’s id, regular users see the rest', async (t) => {
  const { world, scene } = await start(t);
  const { admin, regular, orgId, deviceId, fileId, alertId, email } = scene;
  const invited = { name: 'New', email: email('new'), type: 'REGULAR', orgId };
  const changes: [string, string, object | undefined, number][] = [
    ['POST', `/users/${orgId}`, invited, 201],
    [
      'PUT',
      `/users/${orgId}/${regular.userId}`,
      { name: 'Bob', emailAddress: email('bob'), role: 'REGULAR' },
      200,
    ],
    ['PUT', `/orgs/${orgId}`, { stripeId: 'cus_7' }, 200],
  ];
  for (const [method, path, body, status] of changes) {
    t.equal((await regular.call(method, path, body)).status, 403, `REGULAR ${method} ${path}`);
    t.equal((await admin.call(method, path, body)).status, status, `ADMIN ${method} ${path}`);
  }
  const { users } = (await admin.call('GET', `/users/${orgId}`)).body;
  const { id } = users.find(({ emailAddress }: { emailAddress: string }) => emailAddress === email('new'));
  t.equal((await regular.call('DELETE', `/users/${orgId}/${id}`)).status, 403);
  t.equal((await admin.call('DELETE', `/users/${orgId}/${id}`)).status, 200);
  t.equal((await admin.call('GET', `/orgs/${orgId}`)).body.stripeId, 'cus_7');
  t.notOk('stripeId' in (await regular.call('GET', `/orgs/${orgId}`)).body);
  const seen = [
    `/devices/${orgId}`,
    `/devices/${orgId}/${deviceId}`,
    `/files/${orgId}/${deviceId}/${fileId}`,
    `/alerts/${orgId}`,
    `/alerts/${orgId}/${deviceId}/${alertId}`,
  ];
  for (const path of seen) {
    const [theirs, ours] = [await regular.call('GET', path), await admin.call('GET', path)];
    t.equal(theirs.status, 200, path);
    t.same(theirs.body, ours.body, path);
  }
  t.equal((await world.call('GET', `/devices/${orgId}`)).status, 401);
});

t.test('[S5.14] the other bounds of a file: taken at the bound, refused beyond', async (t) => {
  const { scene } = await start(t);
  const { admin, orgId, deviceId } = scene;
  let n = 0;
  const add = (more: object): Promise<Answer> => {
    const path = `bounds/${n++}`;
    return admin.call('PUT', `/devices/files/${orgId}/${deviceId}`, { files: [{ ...FILE, path, ...more }] });
  };
  const text = (characters: number) => 'é'.repeat(characters);
  const pattern = (characters: number) => ({ rolled: true, rolledFilenameRegexp: 'a'.repeat(characters) });
  const probe = (interval: number) => ({ monitoringFrequency: 'PROBE', interval });
  const bounds: [string, object, object][] = [
    ['name', { name: text(LIMITS.nameCharacters) }, { name: text(LIMITS.nameCharacters + 1) }],
    [
      'description',
      { description: text(LIMITS.descriptionCharacters) },
      { description: text(LIMITS.descriptionCharacters + 1) },
    ],
    ['path', { path: text(LIMITS.pathCharacters) }, { path: text(LIMITS.pathCharacters + 1) }],
    ['rolledFilenameRegexp', pattern(LIMITS.regexpCharacters), pattern(LIMITS.regexpCharacters + 1)],
    ['interval', probe(LIMITS.fileIntervalSecondsMax), probe(LIMITS.fileIntervalSecondsMax + 1)],
    ['interval', probe(LIMITS.fileIntervalSecondsMin), probe(1.5)],
  ];
  for (const [name, within, beyond] of bounds) {
    const taken = await add(within);
    t.equal(taken.status, 200, `${name}: ${JSON.stringify(taken.body).slice(0, 200)}`);
    refuses(t, await add(beyond), `/files/0/${name}`);
  }
  for (const name of ['name', 'path']) refuses(t, await add({ [name]: ' \t' }), `/files/0/${name}`);
});

t.test('[S9.3] health sees beyond thousands of alerts of one moment', async (t) => {
  const { world, orgId, watched, dashboard } = await fleet(t, 4);
  const now = world.clock.now();
  const [first, second, third] = watched as [Watched, Watched, Watched];
  const fillAlerts = async ({ deviceId, fileId }: Watched, count: number, timestamp: number) => {
    const alerts = Array.from({ length: count }, (_, n): AlertView => ({
      id: eventId(timestamp, 'ALERT', utf8(`${fileId} ${n}`)),
      rev: 1,
      orgId,
      deviceId,
      fileId,
      timestamp,
      status: 'ACTIVE',
      type: 'HASH_BREACH',
      hashId: eventId(timestamp, 'BREAK', utf8(`${fileId} ${n}`)),
      occurrences: 1,
      lastTimestamp: timestamp,
      overrideUser: null,
      overrideUserEmail: null,
      handledAt: null,
      note: null,
    }));
    await world.store.insertMissing('alerts', alerts);
    const requests = alerts.map(({ id }) => ({ id, request: '{}' }));
    await world.store.insertMissing('alert_requests', requests);
  };
  const step = 2_000;
  await fillAlerts(first, 2 * step, now - 1_000);
  await fillAlerts(second, 1, now - 1_000);
  await fillAlerts(third, 1, now - 2_000);
  t.match((await dashboard()).health, { devices: 4, devicesWithActiveAlert: 3 });
});
