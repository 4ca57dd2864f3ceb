import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import {
  LIMITS,
  type DeviceEntity,
  type FileEntity,
  type OrganizationEntity,
  type UserEntity,
} from '@sentinel-node/contracts';
import { refuse, type Changed, type Decision, type Stamp } from '../src/registry/decision.ts';
import { decideDevice, PREVIOUS_KEY_MS, type DeviceCommand } from '../src/registry/device.ts';
import type { FileChange } from '../src/registry/files.ts';
import { emailKey, organizationNameKey } from '../src/registry/names.ts';
import { note, plainNote } from '../src/registry/notes.ts';
import {
  ACTIVATION_MS,
  decideOrganization,
  isAbandoned,
  isUnconfirmed,
  type OrganizationCommand,
} from '../src/registry/organization.ts';
import { normalisedPath } from '../src/registry/paths.ts';
import { newRegexps, notRe2, regexpProblem } from '../src/registry/regexps.ts';
import { alertTag, fileTag, organizationTag, userTag, versionTag } from '../src/registry/tags.ts';

const AT = 1_000_000;
const DAY_MS = 86_400_000;
const BY = { userId: 'u1', email: 'ann@example.org' };
const stamp = (over: Partial<Stamp> = {}): Stamp => ({ at: AT, version: 9, by: BY, ...over });

const file = (id: string, over: Partial<FileEntity> = {}): FileEntity => ({
  id,
  name: `name of ${id}`,
  description: 'd',
  path: `${id}.log`,
  type: 'TEXT',
  monitoringFrequency: 'FOLLOW',
  rolled: false,
  modifiable: true,
  enabled: true,
  creationDate: 5,
  ...over,
});
const device = (over: Partial<DeviceEntity> = {}): DeviceEntity => ({
  kind: 'DEVICE',
  id: 'd1',
  orgId: 'o1',
  name: 'web-1',
  description: 'old',
  path: '/var/log',
  healthInterval: 60,
  enabled: true,
  category: 'STANDARD',
  disabledNote: null,
  disabledDate: null,
  disabledBy: null,
  creationDate: 5,
  configVersion: 3,
  keyVersion: 2,
  previousKey: null,
  deleted: false,
  files: [file('f1'), file('f2')],
  removedFiles: [],
  ...over,
});
const input = ({ id: _id, creationDate: _date, ...rest }: FileEntity): FileChange['input'] =>
  rest as FileChange['input'];
const change = (id: string, over: Partial<FileEntity> = {}, isNew = false): FileChange => ({
  id,
  isNew,
  input: input(file(id, over)),
});
const changed = <E>(decision: Decision<E>): Changed<E> => {
  if (decision.kind !== 'changed') throw new Error(`expected a change, not ${JSON.stringify(decision)}`);
  return decision;
};
const decide = (command: DeviceCommand, of: DeviceEntity | undefined = device(), over: Partial<Stamp> = {}) =>
  decideDevice(command, of, stamp(over));
const files = (...changes: FileChange[]): DeviceCommand => ({ type: 'CHANGE_FILES', files: changes });
const update = (over: object = {}, changes: FileChange[] = []): DeviceCommand => ({
  type: 'UPDATE',
  fields: {
    name: 'web-1',
    description: 'old',
    path: '/var/log',
    healthInterval: 60,
    category: 'STANDARD',
    enabled: true,
    ...over,
  } as Extract<DeviceCommand, { type: 'UPDATE' }>['fields'],
  files: changes,
});

t.test('a refusal has a detail only when there is one', async (t) => {
  t.strictSame(refuse('NOT_FOUND'), { kind: 'refused', code: 'NOT_FOUND' });
  t.strictSame(refuse('NOT_FOUND', 'none'), { kind: 'refused', code: 'NOT_FOUND', detail: 'none' });
});

t.test('notes name the person, or the system', async (t) => {
  t.equal(note(BY, { a: 1 }), '{"by":"ann@example.org","a":1}');
  t.equal(note(null, {}), '{"by":null}');
  t.equal(plainNote(BY, 'Changed name'), 'Changed name by ann@example.org');
  t.equal(plainNote(null, 'Changed name'), 'Changed name by the system');
});

t.test('devices', async (t) => {
  const create: DeviceCommand = {
    type: 'CREATE',
    id: 'd2',
    orgId: 'o1',
    fields: { name: 'n', path: '/p', healthInterval: 60, category: 'STANDARD', monitoring: false } as never,
  };

  t.test('one is made once, whole', async (t) => {
    const { entity, events, policies } = changed(decideDevice(create, undefined, stamp({ by: null })));
    t.strictSame(entity, {
      ...device(),
      id: 'd2',
      name: 'n',
      description: '',
      path: '/p',
      enabled: false,
      disabledDate: AT,
      creationDate: AT,
      configVersion: 9,
      keyVersion: 1,
      files: [],
    });
    t.strictSame(policies, []);
    t.strictSame(
      events.map(({ type, deviceId, fileId }) => [type, deviceId, fileId]),
      [['CREATE_DEVICE', 'd2', null]],
    );
    t.strictSame(decide(create), { kind: 'refused', code: 'CONFLICT' });
  });

  t.test('what is deleted, or was never there, is not found', async (t) => {
    t.match(decideDevice(update({ name: 'x' }), undefined, stamp()), { code: 'NOT_FOUND' });
    t.match(decide(update({ name: 'x' }), device({ deleted: true })), { code: 'NOT_FOUND' });
  });

  t.test('removed files are told by one commit only', async (t) => {
    const { entity } = changed(decide(update({ name: 'x' }), device({ removedFiles: [file('f9')] })));
    t.strictSame(entity.removedFiles, []);
  });

  t.test('deleting one tells its files, its name and their number', async (t) => {
    t.match(decide({ type: 'DELETE', forced: false }), { code: 'DEVICE_HAS_FILES', detail: /2 files/ });
    const { entity, events } = changed(decide({ type: 'DELETE', forced: true }));
    matchWhole(t, entity, { deleted: true, removedFiles: [{ id: 'f1' }, { id: 'f2' }] });
    t.equal(entity.files.length, 0);
    t.strictSame(
      events.map(({ type, deviceId, fileId, note }) => [type, deviceId, fileId, JSON.parse(note)]),
      [
        ['DELETE_FILE', 'd1', 'f1', { by: BY.email, name: 'name of f1', path: 'f1.log' }],
        ['DELETE_FILE', 'd1', 'f2', { by: BY.email, name: 'name of f2', path: 'f2.log' }],
        ['DELETE_DEVICE_FORCED', 'd1', null, { by: BY.email, name: 'web-1', files: 2 }],
      ],
    );
    const empty = changed(decide({ type: 'DELETE', forced: false }, device({ files: [] })));
    t.equal(empty.events[0]?.type, 'DELETE_DEVICE_UNFORCED');
  });

  t.test('of files to delete, each is there', async (t) => {
    const missing = decide({ type: 'DELETE_FILES', ids: ['f1', 'f9'] });
    t.match(missing, { code: 'NOT_FOUND', detail: /no such file/ });
    const { entity } = changed(decide({ type: 'DELETE_FILES', ids: ['f2', 'f2'] }));
    matchWhole(t, entity, { files: [{ id: 'f1' }], removedFiles: [{ id: 'f2' }] });
  });

  t.test('a key is replaced at once, or the one before works for a day', async (t) => {
    t.equal(PREVIOUS_KEY_MS, DAY_MS);
    const soft = changed(decide({ type: 'ROTATE_KEY', now: false }));
    t.match(soft.entity, {
      keyVersion: 3,
      configVersion: 9,
      previousKey: { version: 2, validUntil: AT + DAY_MS },
    });
    t.strictSame(soft.events, [
      { type: 'MODIFY_DEVICE', deviceId: 'd1', fileId: null, note: 'API key replaced by ann@example.org' },
    ]);
    const replaced = (version: number, validUntil: number) => ({ version, validUntil });
    const again = (now: boolean, ends: readonly number[]) => {
      const [previousKey = null, ...earlierKeys] = ends.map((end, index) => replaced(9 - index, end));
      return decide({ type: 'ROTATE_KEY', now }, device({ previousKey, earlierKeys }));
    };
    const newest = replaced(2, AT + DAY_MS);
    const both = changed(again(false, [AT + 2, AT + 1, AT])).entity;
    t.strictSame(both.previousKey, newest);
    t.strictSame(both.earlierKeys, [replaced(9, AT + 2), replaced(8, AT + 1)], 'each as long as promised');
    const none = changed(again(false, [AT])).entity;
    t.strictSame(none.previousKey, newest);
    t.equal(none.earlierKeys, undefined);
    const full = Array.from({ length: 5 }, (_, index) => AT + 5 - index);
    t.match(again(false, full), {
      code: 'LIMIT_REACHED',
      detail: new RegExp(new Date(AT + 1).toISOString()),
    });
    const ended = changed(again(true, full)).entity;
    t.strictSame([ended.previousKey, ended.earlierKeys], [null, undefined], 'all end when told so');
    const hard = changed(decide({ type: 'ROTATE_KEY', now: true }));
    t.equal(hard.entity.previousKey, null);
    t.equal(hard.events[0]?.note, 'API key replaced at once by ann@example.org');
  });

  t.test('a change names its fields in words, and not the dates that follow from it', async (t) => {
    const told = (over: object, of = device()) => changed(decide(update(over), of)).events;
    t.strictSame(told({ name: 'x', path: '/p', healthInterval: 30 }), [
      {
        type: 'MODIFY_DEVICE',
        deviceId: 'd1',
        fileId: null,
        note: 'Changed name, working directory, health interval by ann@example.org',
      },
    ]);
    t.equal(
      told({ name: 'x', enabled: false, disabledNote: 'n' })[0]?.note,
      'Changed name, monitoring, note on monitoring by ann@example.org',
    );
    t.equal(told({ name: 'x' }, device({ path: '/var/log' }))[0]?.type, 'MODIFY_DEVICE');
    const past = { enabledAt: 4, earlier: { until: 3, path: 'p', labels: [] } };
    const changes = changed(
      decide(
        update({ name: 'x' }, [change('f1', { name: 'x' })]),
        device({ ...past, files: [file('f1', past)] }),
      ),
    );
    t.strictSame(
      changes.events.map(({ note }) => note),
      ['Changed name by ann@example.org', '{"by":"ann@example.org","changed":["name"]}'],
      'and no field that the API does not have',
    );
    t.strictSame(told({ enabled: false, disabledNote: 'n' }), [
      { type: 'DISABLE_DEVICE', deviceId: 'd1', fileId: null, note: '{"by":"ann@example.org","note":"n"}' },
    ]);
    const off = device({ enabled: false, disabledNote: 'n', disabledDate: 7, disabledBy: 'bob@example.org' });
    t.strictSame(told({}, off), [
      { type: 'ENABLE_DEVICE', deviceId: 'd1', fileId: null, note: '{"by":"ann@example.org"}' },
    ]);
    t.equal(
      told({ enabled: false, disabledNote: 'm' }, off)[0]?.note,
      'Changed note on monitoring by ann@example.org',
    );
  });

  t.test('who switched it off is kept', async (t) => {
    const disabled = (by: Stamp['by']) =>
      changed(decide(update({ enabled: false, disabledNote: 'n' }), device(), { by })).entity;
    t.match(disabled(BY), { disabledNote: 'n', disabledDate: AT, disabledBy: BY.email });
    t.match(disabled(null), { disabledDate: AT, disabledBy: null });
    const kept = changed(
      decide(
        update({ enabled: false, name: 'x' }),
        device({ enabled: false, disabledNote: 'n', disabledDate: 7, disabledBy: 'bob@example.org' }),
      ),
    ).entity;
    t.match(kept, { disabledNote: 'n', disabledDate: 7, disabledBy: 'bob@example.org' });
  });

  t.test('contact is expected from the moment of switching on again', async (t) => {
    const off = device({
      enabled: false,
      disabledNote: 'n',
      files: [file('f1', { enabled: false }), file('f2')],
    });
    const on = changed(decide(update({}, [change('f1')]), off)).entity;
    t.equal(on.enabledAt, AT);
    t.equal(on.files[0]?.enabledAt, AT);
    t.notOk('enabledAt' in on.files[1]!, 'it was on before');
    const renamed = changed(decide(update({ name: 'x' }, [change('f2', { name: 'x' })]))).entity;
    t.notOk('enabledAt' in renamed);
    for (const one of renamed.files) t.notOk('enabledAt' in one);
    const still = changed(decide(update({ name: 'x', enabled: false }), off)).entity;
    t.notOk('enabledAt' in still);
    t.notOk('enabledAt' in still.files[0]!);
    const later = changed(decide(files(change('f1', { name: 'x' })), on)).entity;
    t.equal(later.files[0]?.enabledAt, AT, 'and kept');
  });
});

t.test('a file with another absolute path has moved', async (t) => {
  const moved = { at: AT, version: 9 };
  const of = device({ path: '/srv', files: [file('f1'), file('f2', { path: '/etc/f2' })] });
  const movesOf = (command: DeviceCommand, before = of) =>
    changed(decide(command, before)).entity.files.map((one) => one.moved);
  const { entity } = changed(decide(files(change('f1', { path: 'other.log' })), of));
  t.same(
    entity.files.map((one) => one.moved),
    [{ at: AT, version: entity.configVersion }, undefined],
  );
  t.equal(entity.configVersion, moved.version, 'by which the agent learns it');
  t.same(movesOf(update({ path: '/elsewhere' }), of), [moved, undefined], 'only what is relative');
  t.same(movesOf(files(change('f1', { path: '/srv/f1.log' })), of), [undefined, undefined], 'the same place');
  t.same(movesOf(files(change('f1', { name: 'x' })), entity), [moved, undefined], 'and kept');
});

t.test('files of a device', async (t) => {
  t.test('a new one', async (t) => {
    const probe = { monitoringFrequency: 'PROBE' } as const;
    const { description: _none, ...bare } = input(file('f3', probe));
    const { entity, events } = changed(
      decide(files({ id: 'f3', isNew: true, input: bare as FileChange['input'] })),
    );
    t.strictSame(entity.files[2], {
      ...file('f3', probe),
      description: '',
      interval: LIMITS.fileIntervalSecondsDefault,
      creationDate: AT,
    });
    t.strictSame(events, [
      {
        type: 'CREATE_FILE',
        deviceId: 'd1',
        fileId: 'f3',
        note: '{"by":"ann@example.org","name":"name of f3","path":"f3.log"}',
      },
    ]);
  });

  t.test('a changed one keeps what the request leaves out', async (t) => {
    const before = device({ files: [file('f1', { monitoringFrequency: 'PROBE', interval: 77 })] });
    const { description: _none, ...bare } = input(file('f1', { monitoringFrequency: 'PROBE', name: 'x' }));
    const { entity, events } = changed(
      decide(files({ id: 'f1', isNew: false, input: bare as FileChange['input'] }), before),
    );
    t.match(entity.files[0], { name: 'x', description: 'd', interval: 77, creationDate: 5 });
    t.strictSame(events, [
      {
        type: 'MODIFY_FILE',
        deviceId: 'd1',
        fileId: 'f1',
        note: '{"by":"ann@example.org","changed":["name"]}',
      },
    ]);
    const given = change('f1', { monitoringFrequency: 'PROBE', interval: 88, description: 'new' });
    t.match(changed(decide(files(given), before)).entity.files[0], { description: 'new', interval: 88 });
    const switched = changed(decide(files(change('f2', { enabled: false })))).events[0];
    t.strictSame(JSON.parse(switched!.note), { by: BY.email, changed: ['enabled'], enabled: false });
  });

  t.test('an expression belongs to rolled files alone', async (t) => {
    const rolled = { rolled: true, rolledFilenameRegexp: 'a' };
    t.equal(changed(decide(files(change('f1', rolled)))).entity.files[0]?.rolledFilenameRegexp, 'a');
    const plain = changed(decide(files(change('f1', { ...rolled, rolled: false, name: 'x' })))).entity
      .files[0]!;
    t.notOk('rolledFilenameRegexp' in plain);
    matchWhole(t, decide(files(change('f2', { name: 'x' }), change('f1', { rolled: true }))), {
      code: 'VALIDATION_FAILED',
      errors: [{ path: '/files/1/rolledFilenameRegexp', message: /required/ }],
    });
  });

  t.test('one that is not there, or stands twice, is refused', async (t) => {
    t.match(decide(files(change('f9'))), { code: 'NOT_FOUND', detail: /no such file/ });
    matchWhole(t, decide(files(change('f1', { name: 'x' }), change('f1', { name: 'y' }))), {
      errors: [{ path: '/files/1/id', message: /twice/ }],
    });
  });

  t.test('two with one path are refused where the request can mend it', async (t) => {
    const message = /^\S+ is monitored on this device already$/;
    matchWhole(t, decide(files(change('f3', { path: './f1.log' }, true))), {
      errors: [{ path: '/files/0/path', message }],
    });
    matchWhole(t, decide(files(change('f1', { path: 'f2.log' }))), {
      errors: [{ path: '/files/0/path', message }],
    });
    const apart = device({ files: [file('f1', { path: '/a/x.log' }), file('f2', { path: 'x.log' })] });
    const problem = { path: '/path', message: 'x.log is monitored on this device already' };
    t.strictSame(decide(update({ path: '/a' }), apart), {
      kind: 'refused',
      code: 'VALIDATION_FAILED',
      errors: [problem],
    });
    const further = change('f4', {}, true);
    matchWhole(t, decide(files(change('f3', { path: './f1.log' }, true), further)), {
      errors: [{ path: '/files/0/path', message }],
    });
  });

  t.test('a device has so many, and no more', async (t) => {
    const many = Array.from({ length: LIMITS.filesPerDevice }, (_, n) => change(`n${n}`, {}, true));
    const full = changed(decide(files(...many), device({ files: [] }))).entity;
    t.equal(full.files.length, LIMITS.filesPerDevice);
    t.match(decide(files(change('more', {}, true)), full), {
      code: 'LIMIT_REACHED',
      detail: new RegExp(String(LIMITS.filesPerDevice)),
    });
  });

  t.test('nothing new is no change', async (t) => {
    t.strictSame(decide(files(change('f1'))), { kind: 'unchanged' });
    t.strictSame(decide(update()), { kind: 'unchanged' });
  });
});

t.test('paths of Windows compare without case, others with it', async (t) => {
  t.equal(normalisedPath('C:\\Logs', 'A\\..\\App.log'), normalisedPath('c:\\logs', 'app.LOG'));
  t.equal(normalisedPath('C:\\Logs', 'App.log'), 'c:\\logs\\app.log');
  t.equal(normalisedPath('/var/./log', '../App.log'), '/var/App.log');
});

t.test('a separator at the end of a path is no other path, as for the agent', async (t) => {
  t.equal(normalisedPath('/var/log/', 'app.log/'), '/var/log/app.log');
  t.equal(normalisedPath('/var', 'log//'), '/var/log');
  t.equal(normalisedPath('C:\\Logs\\', 'App.log\\'), 'c:\\logs\\app.log');
  t.equal(normalisedPath('/', '.'), '/');
  t.equal(normalisedPath('C:\\', '.'), 'c:\\');
});

t.test('names and addresses compare folded', async (t) => {
  t.equal(organizationNameKey('  ACME \t Ünion '), 'acme ünion');
  t.equal(organizationNameKey('ΣΑΣ'), organizationNameKey('σας'));
  t.equal(emailKey('Ann@Example.ORG'), 'ann@example.org');
});

t.test('expressions of a request', async (t) => {
  const rolled = (pattern: string | undefined, on = true) =>
    change('f', { rolled: on, ...(pattern === undefined ? {} : { rolledFilenameRegexp: pattern }) });
  const known = device({ files: [file('f1', { rolled: true, rolledFilenameRegexp: 'known' })] });

  t.test('those that are new, each at its first place', async (t) => {
    const changes = [
      rolled('known'),
      rolled('b'),
      rolled('a'),
      rolled('b'),
      rolled('off', false),
      rolled(undefined),
    ];
    t.strictSame(
      [...newRegexps(known, changes)],
      [
        ['b', 1],
        ['a', 2],
      ],
    );
    t.strictSame([...newRegexps(undefined, [rolled('known')])], [['known', 0]]);
  });

  t.test('so many in a request, each so large', async (t) => {
    const several = (count: number) => new Map(Array.from({ length: count }, (_, n) => [`a${n}`, n]));
    t.equal(regexpProblem(several(0)), undefined);
    t.equal(regexpProblem(several(LIMITS.regexpsPerRequest)), undefined);
    t.strictSame(regexpProblem(several(LIMITS.regexpsPerRequest + 2)), {
      path: `/files/${LIMITS.regexpsPerRequest}/rolledFilenameRegexp`,
      message: `brings more than ${LIMITS.regexpsPerRequest} different expressions in one request`,
    });
    const steps = (count: number) =>
      new Map([
        ['a', 3],
        ['a'.repeat(count - 2), 4],
      ]);
    t.equal(regexpProblem(steps(LIMITS.regexpProgramSteps)), undefined);
    t.match(regexpProblem(steps(LIMITS.regexpProgramSteps + 1)), {
      path: '/files/4/rolledFilenameRegexp',
      message: new RegExp(`at most ${LIMITS.regexpProgramSteps} steps`),
    });
    t.match(notRe2(2), { path: '/files/2/rolledFilenameRegexp', message: /RE2/ });
  });
});

t.test('entity tags', async (t) => {
  t.equal(versionTag(7), '"7"');
  t.equal(alertTag(7, 2), '"7.2"');
  const FORM = /^"[\w-]{22}"$/;
  const differs = <T extends object>(tag: (value: T) => string, whole: T, unlike: Partial<T>) => {
    const tags = [
      tag(whole),
      ...Object.keys(unlike).map((name) => tag({ ...whole, [name]: unlike[name as keyof T] })),
    ];
    for (const one of tags) t.match(one, FORM);
    t.equal(new Set(tags).size, tags.length, 'each member counts');
    t.equal(tag({ ...whole }), tags[0]);
  };
  const user = { id: 'u1', name: 'Ann', emailAddress: 'a@b.c', role: 'ADMIN', active: true } as const;
  differs(userTag as (value: object) => string, user, {
    id: 'u2',
    name: 'B',
    emailAddress: 'x',
    role: 'REGULAR',
    active: false,
  } as object);
  differs(organizationTag as (value: object) => string, { id: 'o1', name: 'n', stripeId: null }, {
    id: 'o2',
    name: 'm',
    stripeId: 's',
  } as object);
  t.not(organizationTag({ id: 'o1', name: 'n' }), organizationTag({ id: 'o1', name: 'n', stripeId: null }));
  differs(fileTag, file('f1', { interval: 60, rolledFilenameRegexp: 'a' }), {
    id: 'f2',
    name: 'x',
    description: 'x',
    path: 'x',
    type: 'BINARY',
    monitoringFrequency: 'PROBE',
    rolled: true,
    modifiable: false,
    enabled: false,
    interval: 61,
    rolledFilenameRegexp: 'b',
    watchAttributes: true,
    labels: ['env:prod'],
  } as Partial<FileEntity>);
  t.equal(
    fileTag(file('f1')),
    fileTag(file('f1', { watchAttributes: false, labels: [] })),
    'absent is false, and none',
  );
});

t.test('organisations', async (t) => {
  const user = (id: string, over: Partial<UserEntity> = {}): UserEntity => ({
    id,
    name: id,
    emailAddress: `${id}@example.org`,
    role: 'REGULAR',
    active: true,
    walletUserId: `w-${id}`,
    creationDate: 5,
    activation: null,
    ...over,
  });
  const waiting = (expiresAt: number) => ({ active: false, activation: { idHash: 'h', expiresAt } });
  const organization = (...users: UserEntity[]): OrganizationEntity => ({
    kind: 'ORGANIZATION',
    id: 'o1',
    name: 'Acme',
    stripeId: null,
    creationDate: 5,
    users,
    removedUsers: [],
  });
  const admin = user('u1', { role: 'ADMIN' });
  const decideOf = (command: OrganizationCommand, of: OrganizationEntity | undefined, at = AT) =>
    decideOrganization(command, of, stamp({ at }));
  const activation = { idHash: 'new', expiresAt: AT + ACTIVATION_MS };

  t.test('a link works for a week', async (t) => {
    t.equal(ACTIVATION_MS, 7 * DAY_MS);
  });

  t.test('one is confirmed by one person, abandoned when no link works', async (t) => {
    t.notOk(isUnconfirmed(organization(admin, user('u2', waiting(AT)))));
    t.ok(isUnconfirmed(organization(user('u1', waiting(AT)))));
    t.notOk(isAbandoned(organization(admin, user('u2', waiting(AT))), AT));
    t.notOk(isAbandoned(organization(user('u1', waiting(AT)), user('u2', waiting(AT + 1))), AT));
    t.ok(isAbandoned(organization(user('u1', waiting(AT)), user('u2', { active: false })), AT));
  });

  t.test('founding again keeps ids and dates', async (t) => {
    const founder = { id: 'new', name: 'Ann', emailAddress: 'ann@example.org', walletUserId: 'w-u1' };
    const found = { type: 'FOUND', id: 'o1', name: 'Acme', founder, activation } as const;
    const again = changed(decideOf(found, organization(user('u1', waiting(AT))))).entity;
    t.strictSame(again, {
      ...organization({ ...founder, id: 'u1', role: 'ADMIN', active: false, creationDate: 5, activation }),
    });
    const first = changed(decideOf(found, undefined)).entity;
    matchWhole(t, first, { creationDate: AT, users: [{ id: 'new', creationDate: AT }] });
    t.equal(first.removedUsers.length, 0);
  });

  t.test('who confirms has the link', async (t) => {
    const invited = organization(admin, user('u2', waiting(AT + 1)));
    const confirm = (userId: string, idHash: string): OrganizationCommand => ({
      type: 'CONFIRM',
      userId,
      idHash,
    });
    t.match(decideOf(confirm('u9', 'h'), invited), { code: 'NOT_FOUND', detail: /not valid/ });
    t.match(decideOf(confirm('u1', 'h'), invited), { code: 'NOT_FOUND' }, 'has no link');
    t.equal(decideOf(confirm('u2', 'h'), invited).kind, 'changed');
  });

  t.test('who is bound has the address', async (t) => {
    const invited = organization(admin, user('u2', { walletUserId: null }));
    const bind = (userId: string, email: string): OrganizationCommand => ({
      type: 'BIND',
      userId,
      email,
      walletUserId: 'w',
    });
    t.strictSame(decideOf(bind('u2', 'other@example.org'), invited), { kind: 'unchanged' });
    t.strictSame(decideOf(bind('u9', 'u2@example.org'), invited), { kind: 'unchanged' });
    matchWhole(t, decideOf(bind('u2', 'U2@example.org'), invited), {
      entity: { users: [{}, { walletUserId: 'w' }] },
    });
  });

  t.test('has so many users, and no more', async (t) => {
    const add: OrganizationCommand = {
      type: 'ADD_USER',
      user: { id: 'n', name: 'N', email: 'n@example.org', role: 'REGULAR' },
      activation,
    };
    const of = (count: number) =>
      organization(admin, ...Array.from({ length: count - 1 }, (_, n) => user(`x${n}`)));
    const added = changed(decideOf(add, of(LIMITS.usersPerOrganization - 1))).entity.users;
    t.equal(added.length, LIMITS.usersPerOrganization);
    t.strictSame(added.at(-1), {
      ...user('n', { name: 'N', active: false, walletUserId: null, creationDate: AT, activation }),
    });
    t.match(decideOf(add, of(LIMITS.usersPerOrganization)), {
      code: 'LIMIT_REACHED',
      detail: new RegExp(String(LIMITS.usersPerOrganization)),
    });
  });

  t.test('each changed field of a user counts', async (t) => {
    const of = organization(admin, user('u2', waiting(AT + 1)));
    const fields = { name: 'u2', emailAddress: 'u2@example.org', role: 'REGULAR' } as const;
    const save = (over: object) =>
      decideOf({ type: 'UPDATE_USER', userId: 'u2', fields: { ...fields, ...over }, activation }, of);
    t.strictSame(save({}), { kind: 'unchanged' });
    matchWhole(t, save({ name: 'N' }), {
      entity: { users: [{ name: 'u1' }, { name: 'N', activation: { idHash: 'h' } }] },
    });
    matchWhole(t, save({ role: 'ADMIN' }), { entity: { users: [{}, { role: 'ADMIN' }] } });
    matchWhole(t, save({ emailAddress: 'x@example.org' }), {
      entity: { users: [{}, { activation: { idHash: 'new' } }] },
    });
  });

  t.test('one is deleted, an unknown one is not found', async (t) => {
    const of = organization(admin, user('u2'));
    t.match(decideOf({ type: 'DELETE_USER', userId: 'u9' }, of), { code: 'NOT_FOUND' });
    const { entity, events, policies } = changed(decideOf({ type: 'DELETE_USER', userId: 'u2' }, of));
    t.strictSame([entity.users, entity.removedUsers], [[admin], [user('u2')]]);
    t.strictSame([events, policies], [[], []]);
  });

  t.test('an account of the payment service is set once', async (t) => {
    const set: OrganizationCommand = { type: 'SET_STRIPE_ID', stripeId: 'cus_1' };
    const { entity, events, policies } = changed(
      decideOf(set, { ...organization(admin), removedUsers: [user('u3')] }),
    );
    t.strictSame(entity, { ...organization(admin), stripeId: 'cus_1' });
    t.strictSame([events, policies], [[], []]);
    t.strictSame(decideOf(set, entity), { kind: 'unchanged' });
  });
});
