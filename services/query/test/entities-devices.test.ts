import t from 'tap';
import { ISO, members, refuses, sorted, start } from './entity-checks.ts';
import { DEVICE, FILE, without, type Answer } from './world.ts';

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

  await t.test(
    '[S4.5] [S4.6] [S5.7] [S5.22] turning monitoring off needs a note of one character',
    async (t) => {
      const whole = (await admin.call('GET', device)).body;
      for (const disabledNote of [null, '', ' '])
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
    },
  );

  await t.test('[S5.7] editing a device that was added with monitoring off needs a note', async (t) => {
    const { id } = (await admin.call('POST', devices, { ...DEVICE, monitoring: false })).body;
    const whole = (await admin.call('GET', `${devices}/${id}`)).body;
    t.match(whole, { enabled: false, disabledNote: null });
    const edited = { ...whole, name: 'Elsewhere' };
    refuses(t, await admin.call('PUT', `${devices}/${id}`, edited), '/disabledNote');
    const noted = await admin.call('PUT', `${devices}/${id}`, { ...edited, disabledNote: 'not yet here' });
    t.match(noted, { status: 200, body: { name: 'Elsewhere', disabledNote: 'not yet here' } });
    const files = { ...edited, updateDeviceData: false, files: [{ ...FILE, path: 'only/files' }] };
    t.equal((await admin.call('PUT', `${devices}/${id}`, files)).status, 200, 'only its files');
  });

  await t.test('a device can be sent back as a list gives it', async (t) => {
    const [listed] = (await admin.call('GET', devices)).body.devices;
    t.type(listed.filesCount, 'number');
    const renamed = { ...listed, enabled: true, name: 'From a list' };
    const answer = await admin.call('PUT', `${devices}/${listed.id}`, renamed);
    t.match(answer, { status: 200, body: { name: 'From a list' } });
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

  await t.test('[S5.12] [S9.1] the interval is for PROBE, from 1 s, by default 1 s', async (t) => {
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

  await t.test('[S3.21] the exported configuration', async (t) => {
    const { id } = (await admin.call('POST', devices, { ...DEVICE, healthInterval: 45 })).body;
    const wanted = [
      {
        ...FILE,
        path: 'rolled.log',
        type: 'BINARY',
        rolled: true,
        rolledFilenameRegexp: 'rolled\\.log\\.\\d+',
      },
      { ...FILE, path: 'probed.txt', monitoringFrequency: 'PROBE', interval: 7, modifiable: false },
      { ...FILE, path: 'off.txt', enabled: false },
    ];
    const added = await admin.call('PUT', `/devices/files/${orgId}/${id}`, { files: wanted });
    const idOf = (path: string): string =>
      added.body.files.find((file: { path: string }) => file.path === path).id as string;
    const { body } = await admin.call('GET', `/devices/config/${orgId}/${id}`);
    t.strictSame(body, {
      orgId,
      devId: id,
      apiKey: added.body.apiKey,
      healthInterval: 45,
      workingDirectory: '/srv/app',
      sentinelAddress: 'http://localhost:8443/api/v1',
      clearOrphanedProcesses: true,
      files: [
        {
          id: idOf('rolled.log'),
          path: 'rolled.log',
          type: 'FOLLOW',
          rolled: true,
          rolledfilenameregexp: 'rolled\\.log\\.\\d+',
          modifiable: true,
          data: 'binary',
        },
        {
          id: idOf('probed.txt'),
          path: 'probed.txt',
          type: 'PROBE',
          interval: 7,
          rolled: false,
          modifiable: false,
          data: 'text',
        },
      ],
    });
  });

  await t.test('[S8.4] a deleted device is gone, and says so when asked for', async (t) => {
    t.equal((await admin.call('PUT', `/devices/delete/${orgId}/${deviceId}`, { forced: true })).status, 200);
    t.equal((await admin.call('GET', device)).status, 404);
    const { devices: left } = (await admin.call('GET', devices)).body;
    t.notOk(left.some(({ id }: { id: string }) => id === deviceId));
  });
});
