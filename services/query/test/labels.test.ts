/** Tests labels of devices and files, and the lists filtered by them, over HTTP. */
import { LIMITS } from '@sentinel-node/contracts';
import t, { type Test } from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { createPlace } from './place.ts';
import { DEVICE, FILE, type Answer } from './world.ts';

const UPDATE = {
  name: DEVICE.name,
  path: DEVICE.path,
  healthInterval: DEVICE.healthInterval,
  category: DEVICE.category,
  enabled: true,
};

async function place(t: Test) {
  const here = await createPlace(t);
  const { admin, orgId, deviceId, fileId, world } = here;
  const one = `/devices/${orgId}/${deviceId}`;
  const labelDevice = (labels: string[]) => {
    world.clock.advance(1);
    return admin.call('PUT', one, { ...UPDATE, labels });
  };
  const labelFile = (labels: string[]) => {
    world.clock.advance(1);
    const files = [{ ...FILE, id: fileId, labels }];
    return admin.call('PUT', `/devices/files/${orgId}/${deviceId}`, { files });
  };
  return { ...here, one, labelDevice, labelFile };
}

const idsOf = (answer: Answer, list: string): string[] =>
  answer.body[list].map(({ id }: { id: string }) => id);

t.test('labels are kept in one order, and stay when a request says nothing of them', async (t) => {
  const { admin, orgId, one, labelDevice, labelFile } = await place(t);
  const before = (await admin.call('GET', one)).body;
  t.notOk('labels' in before || 'labels' in before.files[0], 'there are none at first');
  t.strictSame((await labelDevice(['site:graz', 'env:prod'])).body.labels, ['env:prod', 'site:graz']);
  t.strictSame((await labelFile(['team:web servers'])).body.files[0].labels, ['team:web servers']);
  const config = `/devices/config/${orgId}/${before.id}`;
  t.notMatch(
    JSON.stringify((await admin.call('GET', config)).body),
    /graz|team/,
    'agents hear nothing of them',
  );
  await admin.call('PUT', one, { ...UPDATE, name: 'Server 2' });
  matchWhole(t, (await admin.call('GET', one)).body, { name: 'Server 2', labels: ['env:prod', 'site:graz'] });
  await labelDevice([]);
  t.notOk('labels' in (await admin.call('GET', one)).body);
  const { events } = (await admin.call('GET', `/events/${orgId}`)).body;
  const notes = events.map(({ type, note }: { type: string; note: string }) => `${type} ${note}`);
  t.ok(notes.includes('MODIFY_DEVICE Changed labels by ada@example.org'));
  t.ok(notes.some((note: string) => note.startsWith('MODIFY_FILE') && note.includes('["labels"]')));
});

t.test('labels that cannot be are refused, and nothing changes', async (t) => {
  const { admin, orgId, labelDevice, labelFile, one } = await place(t);
  await labelDevice(['env:prod']);
  const many = (count: number): string[] => Array.from({ length: count }, (_, n) => `k${n}:v`);
  const wrong = [
    'prod',
    'Env:prod',
    'env:',
    ':prod',
    `env:${'v'.repeat(129)}`,
    `${'k'.repeat(64)}:v`,
    'env:a\nb',
  ];
  for (const label of wrong) t.equal((await labelDevice([label])).status, 422, label);
  t.equal((await labelDevice(many(LIMITS.labelsPerDevice + 1))).status, 422);
  t.equal((await labelFile(many(LIMITS.labelsPerFile + 1))).status, 422);
  matchWhole(t, await labelDevice(['env:a', 'env:b']), {
    status: 422,
    body: { errors: [{ path: '/labels/1' }] },
  });
  matchWhole(t, await labelFile(['env:a', 'env:b']), {
    status: 422,
    body: { errors: [{ path: '/files/0/labels/1' }] },
  });
  const made = await admin.call('POST', `/devices/${orgId}`, { ...DEVICE, labels: ['env:a', 'env:b'] });
  matchWhole(t, made, { status: 422, body: { errors: [{ path: '/labels/1' }] } });
  t.strictSame((await admin.call('GET', one)).body.labels, ['env:prod']);
  t.strictSame((await labelDevice(many(LIMITS.labelsPerDevice))).body.labels.length, LIMITS.labelsPerDevice);
});

t.test('devices and alerts are found by a label, as it is now', async (t) => {
  const { admin, orgId, deviceId, labelDevice, labelFile, history, write } = await place(t);
  await labelDevice(['env:prod']);
  history.baseline();
  const [alert] = history.breach().alerts;
  await write();
  const devices = async (label: string) =>
    idsOf(await admin.call('GET', `/devices/${orgId}?label=${label}`), 'devices');
  const alerts = async (label: string) =>
    idsOf(await admin.call('GET', `/alerts/${orgId}?label=${label}`), 'alerts');
  t.strictSame(await devices('env:prod'), [deviceId]);
  t.strictSame(await devices('env:test'), []);
  t.strictSame(await alerts('env:prod'), [alert!.id], 'of the device');
  t.strictSame(await alerts('team:web'), []);
  await labelFile(['team:web']);
  t.strictSame(await alerts('team:web'), [alert!.id], 'of the file');
  t.equal((await admin.call('GET', `/alerts/counts/${orgId}?label=team:web`)).body.alerts, 1);
  await labelDevice(['env:test']);
  t.strictSame(await alerts('env:prod'), []);
  t.strictSame(await alerts('env:test'), [alert!.id]);
  t.equal((await admin.call('GET', `/alerts/${orgId}?label=prod`)).status, 422);
});

t.test('devices that enrol have the labels of the template', async (t) => {
  const { admin, orgId, world } = await place(t);
  const template = {
    path: '/srv',
    healthInterval: 60,
    category: 'STANDARD',
    labels: ['site:graz'],
    files: [],
  };
  const twice = { ...template, labels: ['site:graz', 'site:linz'] };
  const refused = await admin.call('POST', `/enrolments/${orgId}`, { name: 'Web', template: twice });
  matchWhole(t, refused, { status: 422, body: { errors: [{ path: '/template/labels/1' }] } });
  const { token } = (await admin.call('POST', `/enrolments/${orgId}`, { name: 'Web', template })).body;
  world.clock.advance(1);
  await world.call('POST', '/enrol', { token, key: 'k'.repeat(22), name: 'web-1' });
  const { devices } = (await admin.call('GET', `/devices/${orgId}?label=site:graz`)).body;
  matchList(t, devices, [{ name: 'web-1', labels: ['site:graz'] }]);
});
