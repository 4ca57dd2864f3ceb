import t from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { agentConfiguration, type DeviceEntity, type FileEntity } from '@sentinel-node/contracts';
import type { Changed, Decision, Stamp } from '../src/registry/decision.ts';
import { decideDevice, PREVIOUS_KEY_MS, type DeviceCommand } from '../src/registry/device.ts';
import type { FileChange } from '../src/registry/files.ts';
import { DEVICE, FILE, without } from './world.ts';

const BY = { userId: '01890000-0000-7000-8000-000000000001', email: 'ann@example.org' };
const AT = 1_000_000;

/** given commands, when one more, then what it decides. */
function given(...commands: readonly DeviceCommand[]) {
  const before = commands.reduce<{ entity: DeviceEntity | undefined; version: number }>(
    ({ entity, version }, command) => {
      const decision = decideDevice(command, entity, stamp(version + 1));
      if (decision.kind !== 'changed') throw new Error(`the given ${command.type} changed nothing`);
      return { entity: decision.entity, version: version + 1 };
    },
    { entity: undefined, version: 0 },
  );
  return {
    before,
    when: (command: DeviceCommand): Decision<DeviceEntity> =>
      decideDevice(command, before.entity, stamp(before.version + 1)),
  };
}
const stamp = (version: number): Stamp => ({ at: AT + version, version, by: BY });

const fields = without(DEVICE, 'monitoring');
const create: DeviceCommand = { type: 'CREATE', id: 'd1', orgId: 'o1', fields: DEVICE };
const add = (id: string, more: object = {}): FileChange => ({
  id,
  isNew: true,
  input: { ...FILE, path: `${id}.log`, ...more },
});
const change = (id: string, more: object = {}): FileChange => ({ ...add(id, more), isNew: false });
const files = (...changes: FileChange[]): DeviceCommand => ({ type: 'CHANGE_FILES', files: changes });
const update = (more: object = {}, changes: FileChange[] = []): DeviceCommand => ({
  type: 'UPDATE',
  fields: { ...fields, enabled: true, ...more },
  files: changes,
});
const off = update({ enabled: false, disabledNote: 'moving' });
const types = ({ events }: Changed<DeviceEntity>): string[] => events.map(({ type }) => type);
function made(t: Tap, decision: Decision<DeviceEntity>): Changed<DeviceEntity> {
  if (decision.kind === 'changed') return decision;
  t.fail(`expected a change, not ${JSON.stringify(decision)}`);
  throw new Error('no change');
}
type Tap = { fail(message: string): unknown };

t.test('creating', async (t) => {
  const decision = made(t, given().when(create));
  t.strictSame(types(decision), ['CREATE_DEVICE']);
  t.strictSame(JSON.parse(decision.events[0]!.note), { by: BY.email, name: DEVICE.name, path: DEVICE.path });
  matchWhole(t, decision.entity, {
    enabled: true,
    configVersion: 1,
    keyVersion: 1,
    disabledDate: null,
    files: [],
  });
  const { entity } = made(t, given().when({ ...create, fields: { ...DEVICE, monitoring: false } }));
  t.match(entity, { enabled: false, disabledNote: null, disabledDate: AT + 1, disabledBy: BY.email });
});

t.test('a change of monitoring alone is ENABLE_ or DISABLE_DEVICE, with note, date and e-mail', async (t) => {
  const disabled = made(t, given(create, files(add('f1'))).when(off));
  t.strictSame(types(disabled), ['DISABLE_DEVICE']);
  t.strictSame(JSON.parse(disabled.events[0]!.note), { by: BY.email, note: 'moving' });
  t.match(disabled.entity, {
    disabledNote: 'moving',
    disabledDate: AT + 3,
    disabledBy: BY.email,
    configVersion: 3,
  });
  matchList(t, disabled.policies, [
    { fileId: 'f1', deleted: false, policy: { enabled: false, configVersion: 3 } },
  ]);
  const enabled = made(t, given(create, files(add('f1')), off).when(update()));
  t.strictSame(types(enabled), ['ENABLE_DEVICE']);
  t.match(enabled.entity, { disabledNote: null, disabledDate: null, disabledBy: null });
  matchList(t, enabled.policies, [{ policy: { enabled: true } }]);
});

t.test('turning monitoring off needs a note; a device that is off keeps its own', async (t) => {
  for (const disabledNote of [undefined, null, '']) {
    const decision = given(create).when(
      update({ enabled: false, ...(disabledNote === undefined ? {} : { disabledNote }) }),
    );
    matchWhole(t, decision, {
      kind: 'refused',
      code: 'VALIDATION_FAILED',
      errors: [{ path: '/disabledNote' }],
    });
  }
  const kept = made(t, given(create, off).when(update({ enabled: false, name: 'Other' })));
  t.match(kept.entity, { disabledNote: 'moving', disabledDate: AT + 2, name: 'Other' });
});

t.test('anything else is MODIFY_DEVICE, whose note is plain text', async (t) => {
  const renamed = made(t, given(create).when(update({ name: 'Other' })));
  t.strictSame(types(renamed), ['MODIFY_DEVICE']);
  t.equal(renamed.events[0]!.note, 'Changed name by ann@example.org');
  t.equal(renamed.entity.configVersion, 1, 'a rename does not raise it');
  const both = made(t, given(create).when(update({ name: 'Other', enabled: false, disabledNote: 'x' })));
  t.strictSame(types(both), ['MODIFY_DEVICE']);
  t.strictSame(given(create).when(update()), { kind: 'unchanged' });
});

t.test('configVersion rises with what an agent runs by, and with nothing else', async (t) => {
  const device = given(create, files(add('f1')));
  const of = (command: DeviceCommand): number => made(t, device.when(command)).entity.configVersion;
  const raising: DeviceCommand[] = [
    update({ path: '/elsewhere' }),
    update({ healthInterval: 61 }),
    update({ category: 'ADVANCED' }),
    off,
    files(change('f1', { path: 'other.log' })),
    files(change('f1', { modifiable: false })),
    files(change('f1', { monitoringFrequency: 'PROBE', interval: 5 })),
    files(change('f1', { rolled: true, rolledFilenameRegexp: 'a.*' })),
    files(change('f1', { enabled: false })),
    files(add('f2')),
    { type: 'DELETE_FILES', ids: ['f1'] },
    { type: 'ROTATE_KEY', now: false },
  ];
  for (const command of raising) t.equal(of(command), 3, JSON.stringify(command));
  const keeping = [update({ name: 'x' }), update({ description: 'x' }), files(change('f1', { name: 'x' }))];
  for (const command of keeping) t.equal(of(command), 2, JSON.stringify(command));
});

t.test('policies of changed and deleted files follow, with the new configVersion', async (t) => {
  const device = given(create, files(add('f1'), add('f2')));
  const category = made(t, device.when(update({ category: 'ADVANCED' })));
  matchList(t, category.policies, [
    { fileId: 'f1', policy: { category: 'ADVANCED', configVersion: 3 } },
    { fileId: 'f2', policy: { category: 'ADVANCED' } },
  ]);
  t.strictSame(made(t, device.when(update({ healthInterval: 99 }))).policies, [], 'not a policy field');
  t.strictSame(made(t, device.when(files(add('f3')))).policies, [], 'the first report carries it');
  const one = made(t, device.when(files(change('f2', { modifiable: false }))));
  matchList(t, one.policies, [{ fileId: 'f2', deleted: false, policy: { modifiable: false } }]);
  const gone = made(t, device.when({ type: 'DELETE_FILES', ids: ['f2'] }));
  matchList(t, gone.policies, [
    { fileId: 'f2', deleted: true, policy: { enabled: false, configVersion: 3 } },
  ]);
  matchWhole(t, gone.entity, { files: [{ id: 'f1' }], removedFiles: [{ id: 'f2' }] });
});

t.test('a policy says when the path or the frequency is another one', async (t) => {
  const device = given(create, files(add('f1')));
  const of = (command: DeviceCommand) =>
    made(t, device.when(command)).policies.map(({ rebaseline }) => rebaseline);
  t.strictSame(of(files(change('f1', { path: 'other.log' }))), [true]);
  t.strictSame(of(files(change('f1', { monitoringFrequency: 'PROBE', interval: 60 }))), [true]);
  t.strictSame(of(update({ path: '/another/folder' })), [true], 'the working directory is part of the path');
  t.strictSame(of(files(change('f1', { modifiable: false }))), [undefined]);
  t.strictSame(of(update({ category: 'ADVANCED' })), [undefined]);
});

t.test('files: added, changed, equal, unknown', async (t) => {
  const device = given(create, files(add('f1'), add('f2')));
  const mixed = made(t, device.when(files(change('f1'), change('f2', { name: 'New' }), add('f3'))));
  t.strictSame(types(mixed), ['MODIFY_FILE', 'CREATE_FILE'], 'equal fields are no change');
  t.strictSame(JSON.parse(mixed.events[0]!.note), { by: BY.email, changed: ['name'] });
  t.strictSame(device.when(files(change('f1'))), { kind: 'unchanged' });
  t.match(device.when(files(change('f9'))), { kind: 'refused', code: 'NOT_FOUND' });
  t.match(device.when(files(change('f1'), change('f1'))), { code: 'VALIDATION_FAILED' });
  const switched = made(t, device.when(files(change('f1', { enabled: false }))));
  t.strictSame(JSON.parse(switched.events[0]!.note), { by: BY.email, changed: ['enabled'], enabled: false });
  const one = made(t, device.when(update({ name: 'Other' }, [change('f1', { name: 'New' })])));
  t.strictSame(types(one), ['MODIFY_DEVICE', 'MODIFY_FILE'], 'device and files in one commit');
});

t.test('a file has an interval only for PROBE, a pattern only when rolled', async (t) => {
  const file = (more: object): FileEntity =>
    made(t, given(create).when(files(add('f1', more)))).entity.files[0]!;
  t.equal(file({ monitoringFrequency: 'PROBE' }).interval, 1, 'the default');
  t.notOk('interval' in file({ interval: 9 }));
  t.notOk('rolledFilenameRegexp' in file({ rolledFilenameRegexp: 'x' }));
  const refusedAt = (more: object) => given(create).when(files(add('f0'), add('f1', more)));
  const path = '/files/1/rolledFilenameRegexp';
  matchWhole(t, refusedAt({ rolled: true }), { code: 'VALIDATION_FAILED', errors: [{ path }] });
  t.equal(
    file({ rolled: true, rolledFilenameRegexp: 'app\\.log\\.\\d+' }).rolledFilenameRegexp,
    'app\\.log\\.\\d+',
  );
});

t.test('the same normalised path twice on a device is refused', async (t) => {
  const device = given(create, files(add('f1', { path: 'logs/app.log' })));
  for (const path of ['logs/app.log', './logs//app.log', 'x/../logs/app.log', '/srv/app/logs/app.log']) {
    const refused = device.when(files(add('f2', { path })));
    matchWhole(t, refused, { code: 'VALIDATION_FAILED', errors: [{ path: '/files/0/path' }] }, path);
  }
  t.equal(device.when(files(add('f2', { path: 'Logs/app.log' }))).kind, 'changed', 'case counts');
  const windows = given(
    { ...create, fields: { ...DEVICE, path: 'C:\\App' } },
    files(add('f1', { path: 'a.log' })),
  );
  t.match(windows.when(files(add('f2', { path: 'c:/app/A.LOG' }))), { code: 'VALIDATION_FAILED' });
  const swap = given(create, files(add('a', { path: 'a' }), add('b', { path: 'b' })));
  t.equal(
    swap.when(files(change('a', { path: 'b' }), change('b', { path: 'a' }))).kind,
    'changed',
    'swapped',
  );
  const absolute = given(create, files(add('a', { path: 'x' }), add('b', { path: '/elsewhere/x' })));
  matchWhole(
    t,
    absolute.when(update({ path: '/elsewhere' })),
    { errors: [{ path: '/path' }] },
    'by moving the device',
  );
});

t.test('deleting', async (t) => {
  const device = given(create, files(add('f1')));
  t.match(device.when({ type: 'DELETE', forced: false }), { code: 'DEVICE_HAS_FILES' });
  const forced = made(t, device.when({ type: 'DELETE', forced: true }));
  t.strictSame(types(forced), ['DELETE_FILE', 'DELETE_DEVICE_FORCED']);
  matchWhole(t, forced.entity, { deleted: true, files: [], removedFiles: [{ id: 'f1' }] });
  matchList(t, forced.policies, [{ fileId: 'f1', deleted: true }]);
  const empty = made(t, given(create).when({ type: 'DELETE', forced: false }));
  t.strictSame(types(empty), ['DELETE_DEVICE_UNFORCED']);
  t.match(given(create, { type: 'DELETE', forced: true }).when(update()), { code: 'NOT_FOUND' });
  t.match(device.when({ type: 'DELETE_FILES', ids: ['f1', 'f9'] }), { code: 'NOT_FOUND' }, 'all or none');
});

t.test('rotating the key: the old one works for 24 hours, or no longer at all', async (t) => {
  const later = made(t, given(create).when({ type: 'ROTATE_KEY', now: false }));
  const validUntil = AT + 2 + PREVIOUS_KEY_MS;
  t.match(later.entity, { keyVersion: 2, previousKey: { version: 1, validUntil } });
  t.match(made(t, given(create).when({ type: 'ROTATE_KEY', now: true })).entity, { previousKey: null });
});

t.test('a device has at most 10,000 files', async (t) => {
  const many = Array.from({ length: 10_000 }, (_, n) => add(`f${n}`));
  const full = given(create, files(...many));
  t.match(full.when(files(add('more'))), { kind: 'refused', code: 'LIMIT_REACHED' });
  t.equal(full.when(files(change('f7', { name: 'x' }))).kind, 'changed');
});

t.test('what is switched off is not in the configuration of the agent', async (t) => {
  const { entity } = given(create, files(add('f1'), add('f2', { enabled: false }))).before;
  const ids = (device: DeviceEntity) => agentConfiguration(device, 'k', 'a').files.map(({ id }) => id);
  t.strictSame(ids(entity!), ['f1']);
  t.strictSame(ids(given(create, files(add('f1')), off).before.entity!), []);
});

t.test('attributes of a new file that must not change are watched, unless the person says no', async (t) => {
  const fixed = { modifiable: false };
  const watched = (...commands: DeviceCommand[]) => {
    const [newest] = given(create, ...commands).before.entity!.files.slice(-1);
    return newest!.watchAttributes;
  };
  t.equal(watched(files(add('f1', fixed))), true);
  t.equal(watched(files(add('f1', { ...fixed, watchAttributes: false }))), undefined);
  t.equal(watched(files(add('f1'))), undefined);
  t.equal(watched(files(add('f1', { watchAttributes: true }))), undefined, 'it may change');
});

t.test('a file that is there stays as it is, until a person chooses', async (t) => {
  const fixed = { modifiable: false };
  const [on, off] = [true, false].map((watchAttributes) =>
    given(create, files(add('f1', { ...fixed, watchAttributes }))),
  );
  const after = (device: typeof on, more: object) =>
    made(t, device!.when(files(change('f1', { ...fixed, name: 'Other', ...more })))).entity.files[0]!;
  t.equal(after(on, {}).watchAttributes, true, 'a client that does not know of it changes nothing');
  t.equal(after(off, {}).watchAttributes, undefined);
  t.equal(after(on, { modifiable: true }).watchAttributes, undefined);
  t.equal(after(given(create, files(add('f1'))), fixed).watchAttributes, undefined, 'no longer modifiable');
  const chosen = made(t, off!.when(files(change('f1', { ...fixed, watchAttributes: true }))));
  matchList(t, chosen.policies, [{ fileId: 'f1', policy: { watchAttributes: true, configVersion: 3 } }]);
  matchWhole(t, JSON.parse(chosen.events[0]!.note), { changed: ['watchAttributes'] });
  const ended = made(t, on!.when(files(change('f1', { ...fixed, watchAttributes: false }))));
  t.notOk('watchAttributes' in ended.policies[0]!.policy);
});
