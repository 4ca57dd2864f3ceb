import { BSON } from 'mongodb';
import t from 'tap';
import { LIMITS, type DeviceEntity, type RegistryRecord } from '@sentinel-node/contracts';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import {
  DocumentTooLargeError,
  systemRandom,
  systemTimers,
  type StreamCommit,
} from '@sentinel-node/platform';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import { run, type CommitContext } from '../src/commands/run.ts';
import type { Actor } from '../src/registry/decision.ts';
import { decideDevice, type DeviceCommand } from '../src/registry/device.ts';
import { registryFeed } from '../src/views/index.ts';
import { uuid } from './chain-records.ts';
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

/** The most bytes that MongoDB takes in a document. */
const DOCUMENT_BYTES = 16 * 1_048_576;

/** The stream of a device that is kept in memory; `last` is its newest commit as it is stored. */
function deviceInMemory() {
  const [id, orgId] = [uuid(1), uuid(2)];
  const kept: { last: StreamCommit<DeviceEntity> | undefined } = { last: undefined };
  const store = {
    find: async () => [kept.last].filter((one) => one !== undefined),
    insertUnique: async (_: string, document: StreamCommit<DeviceEntity>) => void (kept.last = document),
  };
  // A command asks the store for no more than this.
  const context = {
    store,
    clock: new ManualClock(1_800_000_000_000),
    random: systemRandom,
    timers: systemTimers,
  };
  const commands = { ...context, settle: async () => undefined } as unknown as CommitContext;
  const command = (given: DeviceCommand, by: Actor = { userId: uuid(3), email: 'ann@example.org' }) =>
    run<DeviceEntity>(commands, {
      ...{ stream: `device:${id}`, orgId, by },
      decide: (entity, stamp) => decideDevice(given, entity, stamp),
    });
  const create = (path: string) => command({ type: 'CREATE', id, orgId, fields: { ...DEVICE, path } });
  const add = (from: number, to: number, path: (n: number) => string) => {
    const files = Array.from({ length: to - from }, (_, n) => {
      const input = { ...FILE, name: `file-${from + n}`, path: path(from + n) };
      return { id: uuid(from + n), isNew: true, input };
    });
    return command({ type: 'CHANGE_FILES', files });
  };
  return { kept, store, create, add, command };
}

for (const { what, directory, length } of [
  { what: 'long paths', directory: '/srv', length: 250 },
  { what: 'short paths in a folder with a long one', directory: `/${'d'.repeat(2_000)}`, length: 20 },
]) {
  t.test(`a device with ${what} grows as far as MongoDB takes its deletion`, async (t) => {
    const { kept, create, add, command } = deviceInMemory();
    await create(directory);
    const fill = async (from: number, step = 1_000): Promise<number> => {
      if (from === LIMITS.filesPerDevice) return from;
      const isAdded = await add(from, from + step, (n) => `${n}/`.padEnd(length, 'x')).then(
        () => true,
        (error: unknown) => {
          t.match(error, { code: 'LIMIT_REACHED', detail: 'The files of this device take too much room.' });
          return false;
        },
      );
      return isAdded ? fill(from + step) : from;
    };
    const files = await fill(0, 4_000);
    t.ok(files >= 4_000 && files < LIMITS.filesPerDevice, `${files} files`);
    await command({ type: 'DELETE', forced: true }, { userId: uuid(3), email: 'x'.repeat(64) });
    const bytes = BSON.calculateObjectSize(kept.last!);
    t.ok(bytes > 0.75 * DOCUMENT_BYTES && bytes < DOCUMENT_BYTES, `${bytes} bytes`);
  });
}

t.test('a device that is too large already keeps its files and does not grow', async (t) => {
  const { kept, create, add, command } = deviceInMemory();
  await create('/srv');
  const { last } = kept;
  await add(0, 1, (n) => `${n}.log`);
  const [file] = kept.last!.entity.files;
  const files = Array.from({ length: 9_000 }, (_, n) => {
    return { ...file!, id: uuid(n), path: `${n}/`.padEnd(300, 'x') };
  });
  kept.last = { ...last!, entity: { ...last!.entity, files } };
  const [{ id, path }] = [files[0]!];
  const disabled = { id, isNew: false, input: { ...FILE, name: file!.name, path, enabled: false } };
  await command({ type: 'CHANGE_FILES', files: [disabled] });
  await command({ type: 'ROTATE_KEY', now: true });
  await t.rejects(
    add(9_000, 9_001, (n) => `${n}.log`),
    { code: 'LIMIT_REACHED' },
  );
  const ids = files.slice(0, 4_500).map((one) => one.id);
  await command({ type: 'DELETE_FILES', ids });
  t.equal(kept.last.entity.files.length, 4_500);
});

t.test('a change that the store cannot take as a document is refused', async (t) => {
  const { store, create } = deviceInMemory();
  store.insertUnique = () => Promise.reject(new DocumentTooLargeError('streams', 17, 16));
  const detail = 'The change takes too much room. Change fewer at once.';
  await t.rejects(create('/srv'), { code: 'LIMIT_REACHED', detail });
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
