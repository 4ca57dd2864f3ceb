import t from 'tap';
import { LIMITS, type DeviceEntity, type RegistryRecord } from '@sentinel-node/contracts';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { registryFeed } from '../src/views/index.ts';
import { createWorld, DEVICE, FILE } from './world.ts';

const fileAt = (n: number) => ({
  ...FILE,
  name: `application-${n}.conf`,
  path: `/usr/share/applications/vendor-${n % 100}/application-${n}.conf`,
});

t.test('a device has 10,000 files: they are added, read, changed and deleted', async (t) => {
  const world = await createWorld(t);
  const ann = await world.organization('Acme', 'ann@example.org');
  const { id } = (await ann.call('POST', `/devices/${ann.orgId}`, DEVICE)).body;
  const one = `/devices/${ann.orgId}/${id}`;
  const all = `/devices/files/${ann.orgId}/${id}`;
  const added = await ann.call('PUT', all, {
    files: Array.from({ length: LIMITS.filesPerDevice }, (_, n) => fileAt(n)),
  });
  t.equal(added.status, 200);
  const { files } = (await ann.call('GET', one)).body;
  t.equal(files.length, LIMITS.filesPerDevice);
  t.equal(files.at(-1).name, fileAt(LIMITS.filesPerDevice - 1).name);

  await t.test('one more is refused', async (t) => {
    matchWhole(t, await ann.call('PUT', all, { files: [fileAt(LIMITS.filesPerDevice)] }), {
      status: 409,
      body: { code: 'LIMIT_REACHED', detail: 'A device has at most 10000 files.' },
    });
  });

  await t.test('one is changed, and the device is switched off and on', async (t) => {
    const { id: fileId } = files[7];
    const changed = await ann.call('PUT', all, { files: [{ ...fileAt(7), id: fileId, description: 'new' }] });
    t.equal(changed.body.files[7].description, 'new');
    const { monitoring: _, ...fields } = DEVICE;
    for (const enabled of [false, true]) {
      const switched = await ann.call('PUT', one, {
        ...fields,
        enabled,
        ...(enabled ? {} : { disabledNote: 'moves' }),
      });
      matchWhole(t, switched, { status: 200, body: { enabled } });
    }
  });

  await t.test('it is deleted with its files', async (t) => {
    t.equal(
      (await ann.call('PUT', one.replace('/devices/', '/devices/delete/'), { forced: true })).status,
      200,
    );
    t.equal((await ann.call('GET', one)).status, 404);
  });
});

t.test('a device whose files take too much room does not grow', async (t) => {
  const world = await createWorld(t);
  const ann = await world.organization('Acme', 'ann@example.org');
  const { id } = (await ann.call('POST', `/devices/${ann.orgId}`, DEVICE)).body;
  const all = `/devices/files/${ann.orgId}/${id}`;
  const long = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => ({ ...FILE, path: `${from + n}/${'x'.repeat(3_900)}` }));
  t.equal((await ann.call('PUT', all, { files: long(0, 700) })).status, 200);
  const refused = await ann.call('PUT', all, { files: long(700, 1_400) });
  matchWhole(t, refused, {
    status: 409,
    body: { code: 'LIMIT_REACHED', detail: 'The files of this device take too much room.' },
  });
  const { body } = await ann.call('GET', `/devices/${ann.orgId}/${id}`);
  t.equal(body.files.length, 700);
});

t.test('the feed names the files that a command changed', (t) => {
  const [device, first, second, removed] = ['d', 'f1', 'f2', 'f3'];
  const file = (id: string) => ({ id }) as DeviceEntity['files'][number];
  const fed = (...events: { fileId: string | null }[]): string[] => {
    const entity = {
      kind: 'DEVICE',
      id: device,
      files: [file(first!), file(second!)],
      removedFiles: [file(removed!)],
    };
    const record = { entity, version: 3, orgId: 'o', events } as unknown as RegistryRecord;
    return registryFeed(record).flatMap(({ kind, id }) => (kind === 'file' ? [id] : []));
  };
  t.strictSame(fed({ fileId: 'f2' }), ['f2']);
  t.strictSame(fed({ fileId: 'f3' }, { fileId: 'f1' }), ['f3', 'f1']);
  t.strictSame(fed({ fileId: null }), ['f1', 'f2', 'f3'], 'the device itself changed');
  t.strictSame(fed({ fileId: 'f1' }, { fileId: null }), ['f1', 'f2', 'f3']);
  t.strictSame(fed(), ['f1', 'f2', 'f3'], 'nothing says what changed');
  t.end();
});
