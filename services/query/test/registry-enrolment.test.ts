/** Decisions about enrolment tokens: given, when, then. */
import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import {
  LIMITS,
  type CreateEnrolment,
  type DeviceEntity,
  type EnrolmentEntity,
} from '@sentinel-node/contracts';
import { decideDevice, newDevice } from '../src/registry/device.ts';
import {
  decideEnrolment,
  enrolledName,
  enrolmentState,
  REFUSAL_TOLD_MS,
  templateFiles,
  templateProblem,
  type EnrolmentCommand,
} from '../src/registry/enrolment.ts';
import { FILE } from './world.ts';

const AT = Date.UTC(2026, 10, 21);
const DAY_MS = 24 * 3_600_000;
const by = { userId: 'u', email: 'ada@example.org' };
const stamp = { at: AT, version: 1, by };
const template = { path: '/srv', healthInterval: 60, category: 'STANDARD', files: [FILE] } as const;
const fields: CreateEnrolment = { name: 'Servers', template: { ...template, files: [FILE] } };
const make = (more: Partial<CreateEnrolment> = {}): EnrolmentCommand => ({
  type: 'MAKE',
  id: 'e',
  orgId: 'o',
  tokenHash: 'hash',
  fields: { ...fields, ...more },
});

function entityOf(decision: ReturnType<typeof decideEnrolment>): EnrolmentEntity {
  if (decision.kind !== 'changed') throw new Error(decision.kind);
  return decision.entity;
}
const made = entityOf(decideEnrolment(make(), undefined, stamp));

t.test('a token is made with what the request leaves out', async (t) => {
  t.strictSame(made, {
    kind: 'ENROLMENT',
    id: 'e',
    orgId: 'o',
    name: 'Servers',
    namePattern: '{host}',
    template: fields.template,
    tokenHash: 'hash',
    uses: 1,
    expiresAt: AT + LIMITS.enrolmentDaysDefault * DAY_MS,
    creationDate: AT,
    createdBy: 'ada@example.org',
    endedAt: null,
    refusalToldAt: null,
  });
  const given = decideEnrolment(make({ uses: 5, expiresInDays: 2, namePattern: 'x' }), undefined, stamp);
  t.match(entityOf(given), { uses: 5, expiresAt: AT + 2 * DAY_MS, namePattern: 'x' });
  matchWhole(t, given, {
    policies: [],
    events: [
      {
        type: 'CREATE_ENROLMENT',
        deviceId: null,
        fileId: null,
        note: '{"by":"ada@example.org","enrolment":"Servers","uses":5,"expires":"2026-11-23T00:00:00.000Z"}',
      },
    ],
  });
  t.match(decideEnrolment(make(), made, stamp), { kind: 'refused', code: 'CONFLICT' });
});

t.test('a token is ended once', async (t) => {
  const ended = decideEnrolment({ type: 'END' }, made, { ...stamp, at: AT + 5 });
  t.equal(entityOf(ended).endedAt, AT + 5);
  matchWhole(t, ended, {
    events: [{ type: 'END_ENROLMENT', note: '{"by":"ada@example.org","enrolment":"Servers"}' }],
  });
  t.strictSame(decideEnrolment({ type: 'END' }, entityOf(ended), stamp), { kind: 'unchanged' });
  t.match(decideEnrolment({ type: 'END' }, undefined, stamp), { kind: 'refused', code: 'NOT_FOUND' });
});

t.test('a refused use is told once an hour', async (t) => {
  const refuse = { type: 'REFUSE', code: 'USED_UP', host: 'web-1' } as const;
  const told = decideEnrolment(refuse, made, stamp);
  const note = '{"by":null,"enrolment":"Servers","code":"USED_UP","host":"web-1"}';
  matchWhole(t, told, { events: [{ type: 'REFUSE_ENROLMENT', note }] });
  const after = entityOf(told);
  t.strictSame({ ...after, refusalToldAt: null }, made);
  const later = (ms: number) => decideEnrolment(refuse, after, { ...stamp, at: AT + ms }).kind;
  t.strictSame([later(REFUSAL_TOLD_MS - 1), later(REFUSAL_TOLD_MS)], ['unchanged', 'changed']);
});

t.test('a token can be used until it is ended, over, or used up', async (t) => {
  const state = (endedAt: number | null, used: number, now: number) =>
    enrolmentState({ endedAt, expiresAt: 10, uses: 2 }, used, now);
  t.strictSame(
    [state(null, 1, 9), state(null, 2, 9), state(null, 1, 10), state(null, 2, 10), state(1, 0, 0)],
    ['USABLE', 'USED_UP', 'EXPIRED', 'EXPIRED', 'ENDED'],
  );
});

t.test('the name of a device is whole characters, and not too long', async (t) => {
  t.equal(enrolledName({ namePattern: '{host}-{host}' }, '$1'), '$1-$1');
  const name = enrolledName({ namePattern: '{host}' }, '🔑'.repeat(LIMITS.nameCharacters + 1));
  t.equal(name, '🔑'.repeat(LIMITS.nameCharacters));
});

t.test('a device is made with its files in one commit, which tells of the token', async (t) => {
  let id = 0;
  const files = templateFiles([FILE, { ...FILE, path: 'b' }], () => `f${id++}`);
  const device = {
    name: 'web-1',
    path: '/srv',
    healthInterval: 60,
    category: 'STANDARD',
    monitoring: true,
  } as const;
  const command = { type: 'CREATE', id: 'd', orgId: 'o', fields: device, files } as const;
  const enrolment = { name: 'Servers', host: 'web' };
  const decision = decideDevice({ ...command, enrolment }, undefined, { ...stamp, by: null });
  matchWhole(t, decision, {
    kind: 'changed',
    entity: { files: [{ id: 'f0' }, { id: 'f1', path: 'b' }], configVersion: 1 },
    events: [
      { type: 'CREATE_DEVICE', deviceId: 'd' },
      { type: 'CREATE_FILE', fileId: 'f0' },
      { type: 'CREATE_FILE', fileId: 'f1' },
      { type: 'ENROL_DEVICE', deviceId: 'd', note: '{"by":null,"enrolment":"Servers","host":"web"}' },
    ],
  });
  const twice = templateFiles([FILE, FILE], () => `f${id++}`);
  t.match(decideDevice({ ...command, files: twice }, undefined, stamp), { code: 'VALIDATION_FAILED' });
  const empty: DeviceEntity = newDevice('d', 'o', device, stamp);
  t.equal(templateProblem(empty, files, stamp), undefined);
  matchWhole(t, templateProblem(empty, twice, stamp), { errors: [{ path: '/template/files/1/path' }] });
});
