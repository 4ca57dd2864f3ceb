import t from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { TOPICS, type PolicyRecord, type RegistryRecord } from '@sentinel-node/contracts';
import { recordsOf } from './kept.ts';
import { createWorld, DEVICE, eventually, FILE, without, type World } from './world.ts';

const FIELDS = without(DEVICE, 'monitoring');
const PUT = { ...FIELDS, enabled: true };

async function withDevice(t: Parameters<typeof createWorld>[0]) {
  const world = await createWorld(t);
  const ann = await world.organization('Acme', 'ann@example.org');
  const created = await ann.call('POST', `/devices/${ann.orgId}`, DEVICE);
  return {
    world,
    ann,
    created,
    id: created.body.id as string,
    path: `/devices/${ann.orgId}/${created.body.id}`,
  };
}

t.test('devices by HTTP', async (t) => {
  const { world, ann, created, id, path } = await withDevice(t);
  const eve = await world.organization('Other', 'eve@example.org');
  const bob = await world.member(ann, 'bob@example.org', 'REGULAR');

  await t.test('[S7.9] POST /devices answers the id', async (t) => {
    t.equal(created.status, 201);
    t.strictSame(Object.keys(created.body), ['id']);
    const few = await ann.call('POST', `/devices/${ann.orgId}`, { ...DEVICE, healthInterval: 9 });
    matchWhole(t, few, {
      status: 422,
      body: { code: 'VALIDATION_FAILED', errors: [{ path: '/healthInterval' }] },
    });
    const nameless = await ann.call('POST', `/devices/${ann.orgId}`, without(DEVICE, 'name'));
    matchWhole(t, nameless, { status: 422, body: { errors: [{ path: '/name', message: 'is required' }] } });
    t.equal((await eve.call('POST', `/devices/${ann.orgId}`, DEVICE)).status, 404);
  });

  await t.test('[S7.10] GET /devices has no key, [S7.11] GET /devices/{id} has one', async (t) => {
    const { devices } = (await bob.call('GET', `/devices/${ann.orgId}`)).body;
    matchList(t, devices, [{ id, name: 'Server 1', filesCount: 0, status: 'ACTIVE', enabled: true }]);
    t.notOk('apiKey' in devices[0]);
    const one = await bob.call('GET', path);
    matchWhole(t, one.body, {
      ...FIELDS,
      enabled: true,
      files: [],
      apiKey: /^sk1\.[\w-]{43}$/,
      lastContact: null,
    });
    t.equal(one.headers['cache-control'], 'no-store');
    t.equal((await eve.call('GET', path)).status, 404);
    t.equal(
      (await eve.call('GET', `/devices/${eve.orgId}/${id}`)).status,
      404,
      'through the own organisation',
    );
  });

  await t.test('[S7.12] PUT /devices turns monitoring off and on', async (t) => {
    const off = await bob.call('PUT', path, { ...PUT, enabled: false, disabledNote: 'moving', files: [] });
    t.match(off, {
      status: 200,
      body: { enabled: false, disabledNote: 'moving', emailAddress: 'bob@example.org' },
    });
    t.type(off.body.disabledDate, 'string');
    await t.test('[S7.33] GET /users/{orgId}/device/{deviceId} names who did, and the ADMINs', async (t) => {
      const { users } = (await bob.call('GET', `/users/${ann.orgId}/device/${id}`)).body;
      matchList(t, users, [{ emailAddress: 'ann@example.org' }, { emailAddress: 'bob@example.org' }]);
      t.strictSame(Object.keys(users[0]).sort(), ['emailAddress', 'id', 'name']);
    });
    const on = await bob.call('PUT', path, { ...off.body, enabled: true });
    t.match(on.body, { enabled: true, disabledNote: null, disabledDate: null, emailAddress: null });
    const without = await bob.call('PUT', path, { ...PUT, enabled: false });
    matchWhole(t, without, { status: 422, body: { errors: [{ path: '/disabledNote' }] } });
    const foreign = await eve.call('PUT', `/devices/${eve.orgId}/${id}`, PUT);
    t.equal(foreign.status, 404);
    t.equal((await bob.call('PUT', path, { ...PUT, colour: 'red' })).status, 422);
  });

  await t.test('a new key works beside the old one for 24 hours; ADMIN only', async (t) => {
    const before = (await ann.call('GET', path)).body.apiKey;
    t.equal((await bob.call('POST', `/devices/key/${ann.orgId}/${id}`)).status, 403);
    const rotated = await ann.call('POST', `/devices/key/${ann.orgId}/${id}`);
    t.equal(rotated.status, 200, 'a body is not needed');
    t.match(rotated.body.apiKey, /^sk1\./);
    t.not(rotated.body.apiKey, before);
    for (let more = 0; more < 4; more += 1)
      t.equal((await ann.call('POST', `/devices/key/${ann.orgId}/${id}`, {})).status, 200);
    const again = await ann.call('POST', `/devices/key/${ann.orgId}/${id}`, {});
    t.match(again, { status: 409, body: { code: 'LIMIT_REACHED' } }, 'each works as long as promised');
    t.equal((await ann.call('POST', `/devices/key/${ann.orgId}/${id}`, { now: true })).status, 200);
  });

  await t.test('[S7.15] GET /devices/category/intervals', async (t) => {
    const { body } = await ann.call('GET', '/devices/category/intervals');
    t.strictSame(body, [
      { type: 'STANDARD', interval: 3600 },
      { type: 'ADVANCED', interval: 600 },
      { type: 'MISSION_CRITICAL', interval: 60 },
    ]);
  });
});

t.test('files by HTTP', async (t) => {
  const { world, ann, id, path } = await withDevice(t);
  const files = `/devices/files/${ann.orgId}/${id}`;
  const added = await ann.call('PUT', files, { files: [FILE, { ...FILE, name: 'Second', path: 'two' }] });

  await t.test('[S7.14] PUT /devices/files adds, changes, and leaves the others', async (t) => {
    t.equal(added.status, 200);
    matchList(t, added.body.files, [
      { name: 'Log', contact: 'WAITING', activeAlerts: 0, lastContact: null },
      { name: 'Second' },
    ]);
    const [first] = added.body.files;
    const changed = await ann.call('PUT', files, { files: [{ ...first, name: 'Renamed' }] });
    matchList(t, changed.body.files, [{ id: first.id, name: 'Renamed' }, { name: 'Second' }]);
    const twice = await ann.call('PUT', files, { files: [{ ...FILE, path: './two' }] });
    matchWhole(t, twice, { status: 422, body: { errors: [{ path: '/files/0/path' }] } });
    const pattern = { ...FILE, path: 'three', rolled: true, rolledFilenameRegexp: '(?=x)' };
    t.equal((await ann.call('PUT', files, { files: [pattern] })).status, 422);
  });

  const [first, second] = added.body.files as { id: string }[];
  await t.test('[S7.20] GET /files/{orgId}/{deviceId}/{fileId}', async (t) => {
    const one = await ann.call('GET', `/files/${ann.orgId}/${id}/${first!.id}`);
    t.match(one, { status: 200, body: { id: first!.id, name: 'Renamed', type: 'TEXT' } });
    t.equal((await ann.call('GET', `/files/${ann.orgId}/${id}/${id}`)).status, 404);
  });

  await t.test('[S3.6] updateDeviceData: false takes the files only', async (t) => {
    const body = {
      ...PUT,
      name: 'Ignored',
      updateDeviceData: false,
      files: [{ ...first, ...FILE, name: 'Third' }],
    };
    const { body: device } = await ann.call('PUT', path, body);
    matchWhole(t, device, { name: 'Server 1', files: [{ name: 'Third' }, { name: 'Second' }] });
    const whole = await ann.call('PUT', path, { ...body, updateDeviceData: true, name: 'Server 1 too' });
    matchWhole(t, whole.body, { name: 'Server 1 too', files: [{ name: 'Third' }, { name: 'Second' }] });
    t.equal((await ann.call('PUT', path, { ...PUT, files: [] })).body.name, 'Server 1');
  });

  await t.test('equal fields make no commit', async (t) => {
    const before = (await recordsOf(world.eventLog, TOPICS.registry)).length;
    const { body: device } = await ann.call('GET', path);
    t.equal((await ann.call('PUT', path, device)).status, 200);
    t.equal((await recordsOf(world.eventLog, TOPICS.registry)).length, before);
  });

  await t.test('[S3.9] [S7.23] DELETE /files, and several with PUT /files/delete', async (t) => {
    t.equal((await ann.call('DELETE', `/files/${ann.orgId}/${id}/${second!.id}`)).status, 200);
    t.equal((await ann.call('DELETE', `/files/${ann.orgId}/${id}/${second!.id}`)).status, 404);
    const some = await ann.call('PUT', `/files/delete/${ann.orgId}/${id}`, { files: [first!.id] });
    t.equal(some.status, 200);
    t.strictSame((await ann.call('GET', path)).body.files, []);
  });

  await t.test('the policies of changed and deleted files are in their log', async (t) => {
    const records = (await recordsOf(world.eventLog, TOPICS.fileEvents)) as PolicyRecord[];
    matchList(
      t,
      records
        .map(({ fileId, deleted }) => ({ fileId, deleted }))
        .sort((a) => (a.fileId === first!.id ? -1 : 1)),
      [
        { fileId: first!.id, deleted: true },
        { fileId: second!.id, deleted: true },
      ],
    );
    for (const { nonce, commandId } of records) {
      t.match(nonce, /^[0-9a-f]{32}$/);
      t.match(commandId, new RegExp(`^device:${id}:\\d+$`));
    }
  });
});

t.test('the policy record of a changed path says so', async (t) => {
  const { world, ann, id } = await withDevice(t);
  const path = `/devices/files/${ann.orgId}/${id}`;
  const { body } = await ann.call('PUT', path, { files: [FILE] });
  const [file] = body.files;
  for (const fields of [{ path: 'other.log' }, { path: 'other.log', modifiable: !FILE.modifiable }])
    t.equal((await ann.call('PUT', path, { files: [{ ...file, ...fields }] })).status, 200);
  const records = (await recordsOf(world.eventLog, TOPICS.fileEvents)) as PolicyRecord[];
  t.strictSame(
    records.map(({ rebaseline }) => rebaseline),
    [true, undefined],
  );
});

t.test('[S7.13] PUT /devices/delete, forced or not', async (t) => {
  const { ann, id, path } = await withDevice(t);
  await ann.call('PUT', `/devices/files/${ann.orgId}/${id}`, { files: [FILE] });
  const remove = (forced: boolean) => ann.call('PUT', `/devices/delete/${ann.orgId}/${id}`, { forced });
  t.match(await remove(false), { status: 409, body: { code: 'DEVICE_HAS_FILES' } });
  t.equal((await remove(true)).status, 200);
  t.equal((await ann.call('GET', path)).status, 404);
  t.equal((await remove(true)).status, 404);
  t.strictSame((await ann.call('GET', `/devices/${ann.orgId}`)).body, { devices: [] });
});

t.test('two who change a device at once lose nothing', async (t) => {
  const { world, ann, id } = await withDevice(t);
  const add = (n: number) =>
    ann.call('PUT', `/devices/files/${ann.orgId}/${id}`, { files: [{ ...FILE, path: `file ${n}` }] });
  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => add(n)));
  t.ok(answers.every(({ status }) => status === 200));
  const device = (await ann.call('GET', `/devices/${ann.orgId}/${id}`)).body;
  t.equal(new Set(device.files.map((file: { path: string }) => file.path)).size, 8);
  const records = (await recordsOf(world.eventLog, TOPICS.registry)) as RegistryRecord[];
  const versions = records.filter(({ stream }) => stream === `device:${id}`).map(({ version }) => version);
  t.strictSame(
    [...new Set(versions)].sort((a, b) => a - b),
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
  );
});

t.test('what a command did is an event, by its cause and in its order', async (t) => {
  const { world, ann, id, path } = await withDevice(t);
  await ann.call('PUT', path, { ...PUT, name: 'Other', files: [FILE] });
  const events = await eventually(async () => {
    const { body } = await ann.call('GET', `/events/${ann.orgId}/${id}`);
    return body.events.length === 3 ? body.events : undefined;
  });
  const types = new Set(events.map(({ type }: { type: string }) => type));
  t.strictSame(types, new Set(['CREATE_DEVICE', 'MODIFY_DEVICE', 'CREATE_FILE']));
  const [record] = (await registry(world)).filter(
    ({ version, stream }) => version === 2 && stream === `device:${id}`,
  );
  matchList(t, record!.events, [
    { type: 'MODIFY_DEVICE', note: 'Changed name by ann@example.org' },
    { type: 'CREATE_FILE' },
  ]);
});

const registry = async ({ eventLog }: World): Promise<RegistryRecord[]> =>
  (await recordsOf(eventLog, TOPICS.registry)) as RegistryRecord[];
