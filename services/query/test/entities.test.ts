import t, { type Test } from 'tap';
import type { FileHistory } from './chain-records.ts';
import { createScene, type Scene } from './scene.ts';
import {
  createWorld,
  DEVICE,
  eventually,
  FILE,
  NO_LIMITS,
  without,
  type Answer,
  type World,
} from './world.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const members = (value: object): string => Object.keys(value).sort().join(' ');
const sorted = (names: string): string => names.split(' ').sort().join(' ');

/** Refused, because of this member. */
function refuses(t: Test, answer: Answer, path: string, message: RegExp = /./): void {
  t.equal(answer.status, 422, path);
  const found = (answer.body.errors as { path: string; message: string }[]).filter(
    (one) => one.path === path,
  );
  t.ok(
    found.some((one) => message.test(one.message)),
    `${path}: ${JSON.stringify(answer.body.errors)}`,
  );
}

async function start(t: Test): Promise<{ world: World; scene: Scene }> {
  const world = await createWorld(t, NO_LIMITS);
  return { world, scene: await createScene(world, new Map<string, FileHistory>()) };
}

t.test('people and organisations', async (t) => {
  const { world, scene } = await start(t);
  const { admin, regular, orgId, email } = scene;

  await t.test('[S3.1] the login result and a user', async (t) => {
    const signedIn = await world.signIn(email('ada'));
    t.equal(members(signedIn.session), sorted('success name email userRole orgId userId token'));
    t.match(signedIn.session, { success: true, email: email('ada'), userRole: 'ADMIN', orgId });
    const user = (await admin.call('GET', `/users/${orgId}/${regular.userId}`)).body;
    t.equal(members(user), sorted('id name emailAddress role orgId active'));
    t.match(user, { id: regular.userId, emailAddress: email('bob'), role: 'REGULAR', orgId, active: true });
  });

  await t.test(
    '[S4.9] an invited user is inactive until the link is confirmed, and gets another till then',
    async (t) => {
      const invited = { name: 'Inga', email: email('inga'), type: 'REGULAR', orgId };
      const { id } = (await admin.call('POST', `/users/${orgId}`, invited)).body;
      const path = `/users/${orgId}/${id}`;
      t.equal((await admin.call('GET', path)).body.active, false);
      const first = await world.activationOf(email('inga'));
      // Mails are told apart by their time.
      world.clock.advance(1);
      const resend = `/users/resend/activationlink/${orgId}/${id}`;
      t.equal((await admin.call('POST', resend)).status, 200);
      const second = await eventually(async () => {
        const newest = await world.activationOf(email('inga'));
        return newest === first ? undefined : newest;
      });
      t.equal(
        (await world.call('PUT', `/users/confirm/link/${first}`)).status,
        404,
        'the older link has ended',
      );
      t.equal((await world.call('PUT', `/users/confirm/link/${second}`)).body, 'OK');
      t.equal((await admin.call('GET', path)).body.active, true);
      t.match(await admin.call('POST', resend), { status: 409, body: { code: 'USER_ACTIVE' } });
    },
  );

  await t.test('[S3.2] [S9.13] an organisation, and where its agents call by default', async (t) => {
    const changed = await admin.call('PUT', `/orgs/${orgId}`, { stripeId: 'cus_1' });
    t.equal(members(changed.body), sorted('id name sentinelAddress stripeId'));
    t.match(changed.body, { id: orgId, stripeId: 'cus_1', sentinelAddress: 'http://localhost:8443/api/v1' });
    const carl = await world.signIn(email('carl'));
    const request = {
      name: email('works'),
      userName: 'Carl',
      e2Id: carl.session.userId,
      emailAddress: email('carl'),
    };
    t.equal(
      (await carl.call('POST', '/orgs', { ...request, e2Id: 'noUserId' })).status,
      422,
      'this one has an id',
    );
    for (const name of ['name', 'userName', 'e2Id', 'emailAddress'] as const)
      refuses(t, await carl.call('POST', '/orgs', without(request, name)), `/${name}`);
    t.equal((await carl.call('POST', '/orgs', request)).status, 201);
  });

  await t.test(
    '[S6.2] an ADMIN loads all users, [S6.6] a REGULAR user itself and the name only',
    async (t) => {
      const all = (await admin.call('GET', `/users/${orgId}`)).body;
      t.ok(all.users.length >= 2);
      t.equal(members(all), sorted('users orgName stripeId'));
      const own = (await regular.call('GET', `/users/${orgId}`)).body;
      t.strictSame(
        own.users.map(({ id }: { id: string }) => id),
        [regular.userId],
      );
      t.equal(members(own), sorted('users orgName'));
      t.equal((await regular.call('GET', `/users/${orgId}/${all.users[0].id}`)).status, 404);
      t.equal(members((await regular.call('GET', `/orgs/${orgId}`)).body), sorted('id name sentinelAddress'));
    },
  );

  await t.test(
    '[S5.15] [S5.16] [S5.17] [S5.18] [S5.19] [S5.21] what a form must have, a call must have',
    async (t) => {
      const user = { name: 'Dora', email: email('dora'), type: 'REGULAR', orgId };
      for (const name of ['name', 'email', 'type'] as const)
        refuses(
          t,
          await admin.call('POST', `/users/${orgId}`, without(user, name)),
          `/${name}`,
          /is required/,
        );
      refuses(t, await admin.call('POST', `/users/${orgId}`, { ...user, email: 'dora' }), '/email');
      refuses(t, await admin.call('POST', `/users/${orgId}`, { ...user, name: '  ' }), '/name');
      const path = `/users/${orgId}/${regular.userId}`;
      const edit = { name: 'Bob', emailAddress: email('bob'), role: 'REGULAR' };
      for (const name of ['name', 'emailAddress', 'role'] as const)
        refuses(t, await admin.call('PUT', path, without(edit, name)), `/${name}`, /is required/);
      refuses(t, await admin.call('PUT', path, { ...edit, emailAddress: 'bob@' }), '/emailAddress');
      const founder = await world.signIn(email('fay'));
      const org = { name: 'X', userName: 'Fay', e2Id: founder.session.userId, emailAddress: email('fay') };
      refuses(t, await founder.call('POST', '/orgs', { ...org, userName: ' ' }), '/userName');
      refuses(t, await founder.call('POST', '/orgs', { ...org, emailAddress: 'fay' }), '/emailAddress');
      refuses(t, await founder.call('POST', '/orgs', { ...org, name: '' }), '/name');
      refuses(t, await admin.call('PUT', `/orgs/${orgId}`, { stripeId: ' ' }), '/stripeId');
      refuses(t, await admin.call('PUT', `/orgs/${orgId}`, {}), '/stripeId', /is required/);
    },
  );
});

t.test('devices and files', async (t) => {
  const { scene } = await start(t);
  const { admin, orgId, deviceId, fileId } = scene;
  const devices = `/devices/${orgId}`;
  const device = `${devices}/${deviceId}`;
  const files = `/devices/files/${orgId}/${deviceId}`;

  await t.test('[S3.3] [S3.7] a device and a file', async (t) => {
    const { body } = await admin.call('GET', device);
    t.equal(
      members(body),
      sorted(
        'id name description path healthInterval enabled category disabledNote disabledDate emailAddress creationDate status lastContact apiKey files',
      ),
    );
    t.match(body, {
      ...without(DEVICE, 'monitoring'),
      id: deviceId,
      enabled: true,
      status: 'ACTIVE',
      creationDate: ISO,
    });
    t.equal(
      members(body.files[0]),
      sorted(
        'id name description path type monitoringFrequency interval rolled rolledFilenameRegexp modifiable enabled creationDate lastContact contact activeAlerts',
      ),
    );
    t.match(body.files[0], {
      id: fileId,
      type: 'TEXT',
      monitoringFrequency: 'PROBE',
      interval: 5,
      rolled: true,
    });
    t.strictSame(body.files[0], (await admin.call('GET', `/files/${orgId}/${deviceId}/${fileId}`)).body);
  });

  await t.test('[S3.4] [S3.5] the categories, and their intervals', async (t) => {
    const intervals = (await admin.call('GET', '/devices/category/intervals')).body;
    t.strictSame(intervals.map(({ type }: { type: string }) => type).sort(), [
      'ADVANCED',
      'MISSION_CRITICAL',
      'STANDARD',
    ]);
    for (const { interval, type: category } of intervals) {
      t.ok(Number.isInteger(interval) && interval > 0);
      t.equal((await admin.call('POST', devices, { ...DEVICE, category })).status, 201);
    }
    refuses(
      t,
      await admin.call('POST', devices, { ...DEVICE, category: 'OTHER' }),
      '/category',
      /must be one of/,
    );
  });

  await t.test('[S5.1] [S5.3] [S5.4] [S5.5] [S9.1] what a device must have', async (t) => {
    for (const name of ['name', 'path', 'healthInterval', 'category'] as const)
      refuses(t, await admin.call('POST', devices, without(DEVICE, name)), `/${name}`, /is required/);
    for (const healthInterval of [9, 0, -60, 10.5, '60'])
      refuses(t, await admin.call('POST', devices, { ...DEVICE, healthInterval }), '/healthInterval');
    t.equal((await admin.call('POST', devices, { ...DEVICE, healthInterval: 10 })).status, 201);
  });
  await t.test('[S5.2] a device needs no description', async (t) => {
    const { status, body } = await admin.call('POST', devices, without(DEVICE, 'description'));
    t.equal(status, 201);
    t.equal((await admin.call('GET', `${devices}/${body.id}`)).body.description, '');
  });

  await t.test('[S5.7] [S5.22] turning monitoring off needs a note of one character', async (t) => {
    const whole = (await admin.call('GET', device)).body;
    for (const disabledNote of [null, ''])
      refuses(
        t,
        await admin.call('PUT', device, { ...whole, enabled: false, disabledNote }),
        '/disabledNote',
      );
    const off = await admin.call('PUT', device, { ...whole, enabled: false, disabledNote: 'x' });
    t.match(off.body, {
      enabled: false,
      disabledNote: 'x',
      disabledDate: ISO,
      emailAddress: scene.email('ada'),
    });
    const on = await admin.call('PUT', device, { ...off.body, enabled: true });
    t.match(on.body, { enabled: true, disabledNote: null, disabledDate: null, emailAddress: null });
  });

  await t.test('[S5.8] [S5.9] [S5.10] [S5.11] [S3.20] what a file must have', async (t) => {
    let n = 0;
    const add = (file: object): Promise<Answer> => admin.call('PUT', files, { files: [file] });
    const fresh = (more: object = {}): object => ({ ...FILE, path: `logs/${n++}.log`, ...more });
    for (const name of ['name', 'path', 'type', 'modifiable', 'monitoringFrequency', 'rolled'] as const)
      refuses(t, await add(without(FILE, name)), `/files/0/${name}`, /is required/);
    refuses(t, await add(fresh({ type: 'IMAGE' })), '/files/0/type');
    refuses(t, await add(fresh({ monitoringFrequency: 'OFTEN' })), '/files/0/monitoringFrequency');
    for (const monitoringFrequency of ['PROBE', 'FOLLOW'])
      t.equal((await add(fresh({ monitoringFrequency }))).status, 200, monitoringFrequency);
    for (const type of ['TEXT', 'BINARY']) t.equal((await add(fresh({ type }))).status, 200, type);
  });

  await t.test('[S5.12] [S3.8] the interval is for PROBE, from 1 s, by default 1 s', async (t) => {
    const probe = { ...FILE, monitoringFrequency: 'PROBE', path: 'probed' };
    refuses(t, await admin.call('PUT', files, { files: [{ ...probe, interval: 0 }] }), '/files/0/interval');
    const added = (
      await admin.call('PUT', files, { files: [probe, { ...FILE, path: 'followed', interval: 7 }] })
    ).body;
    const byPath = new Map<string, object>(added.files.map((file: { path: string }) => [file.path, file]));
    t.match(byPath.get('probed'), { interval: 1 });
    t.notOk('interval' in byPath.get('followed')!);
  });

  await t.test('[S5.13] the pattern is for rolled files, and they need one', async (t) => {
    const rolled = { ...FILE, rolled: true, path: 'rolled' };
    refuses(
      t,
      await admin.call('PUT', files, { files: [rolled] }),
      '/files/0/rolledFilenameRegexp',
      /is required/,
    );
    for (const rolledFilenameRegexp of ['(', '(?=a)', '(a)\\1'])
      refuses(
        t,
        await admin.call('PUT', files, { files: [{ ...rolled, rolledFilenameRegexp }] }),
        '/files/0/rolledFilenameRegexp',
      );
    const plain = { ...FILE, path: 'plain', rolledFilenameRegexp: 'x' };
    const added = (await admin.call('PUT', files, { files: [plain] })).body.files;
    t.notOk('rolledFilenameRegexp' in added.find(({ path }: { path: string }) => path === 'plain'));
  });

  await t.test('[S8.4] a deleted device is gone, and says so when asked for', async (t) => {
    t.equal((await admin.call('PUT', `/devices/delete/${orgId}/${deviceId}`, { forced: true })).status, 200);
    t.equal((await admin.call('GET', device)).status, 404);
    const { devices: left } = (await admin.call('GET', devices)).body;
    t.notOk(left.some(({ id }: { id: string }) => id === deviceId));
  });
});

t.test('alerts and the dashboard', async (t) => {
  const { scene } = await start(t);
  const { admin, orgId, deviceId, fileId, alertId } = scene;

  await t.test('[S3.10] an alert', async (t) => {
    const { body } = await admin.call('GET', `/alerts/${orgId}/${deviceId}/${alertId}`);
    const specified =
      'id timestamp status type deviceId deviceName fileId fileName overrideUser overrideUserEmail shared sharedData hashId eventRequest bsvTransactionID note';
    t.equal(members(body), sorted(`${specified} occurrences lastTimestamp`));
    t.match(body, {
      id: alertId,
      status: 'ACTIVE',
      type: 'HASH_BREACH',
      deviceId,
      fileId,
      shared: false,
      timestamp: ISO,
    });
  });

  await t.test('[S3.17] [S3.18] the summary and its performance', async (t) => {
    const { body } = await admin.call('GET', `/dashboard/${orgId}`);
    t.equal(members(body), sorted('events stripeIdSet performance health devices alerts activeAlerts'));
    t.equal(
      members(body.performance),
      sorted('numberOfDevicesDefined numberOfFilesDefined numberOfDevicesActive performance noContactFiles'),
    );
    t.match(body, {
      stripeIdSet: false,
      alerts: [{ id: alertId }],
      activeAlerts: 1,
      performance: { numberOfDevicesDefined: 1, numberOfFilesDefined: 1, numberOfDevicesActive: 1 },
    });
  });

  await t.test('[S3.19] a range of time holds what lies in it, its ends included', async (t) => {
    const { alerts } = (await admin.call('GET', `/alerts/${orgId}`)).body;
    const at = alerts[0].timestamp as string;
    const shifted = (ms: number): string => new Date(Date.parse(at) + ms).toISOString();
    const count = async (from: string, to: string): Promise<number> => {
      const path = `/alerts/${orgId}?timestampFrom=${from}&timestampTo=${to}`;
      return (await admin.call('GET', path)).body.alerts.length;
    };
    t.equal(await count(at, at), 1);
    t.equal(await count(shifted(1), shifted(1_000)), 0);
    t.equal(await count(shifted(-1_000), shifted(-1)), 0);
  });
});
