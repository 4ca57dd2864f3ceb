import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import type { OrganizationEntity } from '@sentinel-node/contracts';
import type { Decision } from '../src/registry/decision.ts';
import { organizationNameKey } from '../src/registry/names.ts';
import {
  ACTIVATION_MS,
  decideOrganization,
  isAbandoned,
  type OrganizationCommand,
} from '../src/registry/organization.ts';

const AT = 1_000_000;
const activation = (idHash: string) => ({ idHash, expiresAt: AT + ACTIVATION_MS });
const founder = { id: 'u1', name: 'Ann', emailAddress: 'ann@example.org', walletUserId: 'w1' };
const found: OrganizationCommand = {
  type: 'FOUND',
  id: 'o1',
  name: 'Acme',
  founder,
  activation: activation('h1'),
};
const confirm = (userId: string, idHash: string): OrganizationCommand => ({
  type: 'CONFIRM',
  userId,
  idHash,
});
const invite = (id: string, role: 'ADMIN' | 'REGULAR'): OrganizationCommand => ({
  type: 'ADD_USER',
  user: { id, name: id, email: `${id}@example.org`, role },
  activation: activation(`h-${id}`),
});
const update = (userId: string, fields: object): OrganizationCommand => ({
  type: 'UPDATE_USER',
  userId,
  fields: { name: userId, emailAddress: `${userId}@example.org`, role: 'REGULAR', ...fields },
  activation: activation('h-new'),
});
const bind = (userId: string, walletUserId: string): OrganizationCommand => ({
  type: 'BIND',
  userId,
  email: `${userId.toUpperCase()}@example.org`,
  walletUserId,
});

function given(...commands: readonly OrganizationCommand[]) {
  const entity = commands.reduce<OrganizationEntity | undefined>((before, command) => {
    const decision = decideOrganization(command, before, stamp());
    if (decision.kind !== 'changed') throw new Error(`the given ${command.type} changed nothing`);
    return decision.entity;
  }, undefined);
  return {
    entity,
    when: (command: OrganizationCommand, at = AT): Decision<OrganizationEntity> =>
      decideOrganization(command, entity, stamp(at)),
  };
}
const stamp = (at = AT) => ({ at, version: 1, by: null });

t.test('the founder is the first ADMIN, inactive until the link is confirmed', async (t) => {
  matchWhole(t, given(found).entity, {
    name: 'Acme',
    stripeId: null,
    users: [{ id: 'u1', role: 'ADMIN', active: false, walletUserId: 'w1' }],
  });
  matchWhole(t, given(found, confirm('u1', 'h1')).entity, { users: [{ active: true, activation: null }] });
});

t.test('founding again while unconfirmed gives a new link and the same users', async (t) => {
  const again = { ...found, name: 'Acme 2', activation: activation('h2') };
  matchWhole(t, given(found, again).entity, {
    name: 'Acme 2',
    users: [{ id: 'u1', activation: { idHash: 'h2' } }],
  });
  t.match(given(found, again).when(confirm('u1', 'h1')), { code: 'NOT_FOUND' }, 'the older link has ended');
  const other = { ...again, founder: { ...founder, walletUserId: 'w2' } };
  t.match(given(found).when(other), { code: 'ORGANIZATION_ALREADY_EXISTS' });
  t.match(given(found, confirm('u1', 'h1')).when(again), { code: 'ORGANIZATION_ALREADY_EXISTS' });
});

t.test('a link works once, for 7 days', async (t) => {
  t.equal(given(found).when(confirm('u1', 'h1'), AT + ACTIVATION_MS - 1).kind, 'changed');
  t.match(given(found).when(confirm('u1', 'h1'), AT + ACTIVATION_MS), { code: 'NOT_FOUND' });
  t.match(given(found).when(confirm('u1', 'h9')), { code: 'NOT_FOUND' });
  t.match(given(found, confirm('u1', 'h1')).when(confirm('u1', 'h1')), { code: 'NOT_FOUND' });
  t.equal(isAbandoned(given(found).entity!, AT + ACTIVATION_MS - 1), false);
  t.equal(isAbandoned(given(found).entity!, AT + ACTIVATION_MS), true);
  t.equal(isAbandoned(given(found, confirm('u1', 'h1')).entity!, AT + 2 * ACTIVATION_MS), false);
});

t.test('the last active ADMIN stays one', async (t) => {
  const one = given(found, confirm('u1', 'h1'), invite('u2', 'ADMIN'));
  const demote = update('u1', { name: 'Ann', emailAddress: 'ann@example.org' });
  t.match(one.when(demote), { code: 'LAST_ADMIN' }, 'an invited ADMIN does not count');
  t.match(one.when({ type: 'DELETE_USER', userId: 'u1' }), { code: 'LAST_ADMIN' });
  const two = given(found, confirm('u1', 'h1'), invite('u2', 'ADMIN'), confirm('u2', 'h-u2'));
  t.equal(two.when(demote).kind, 'changed');
  matchWhole(t, two.when({ type: 'DELETE_USER', userId: 'u1' }), {
    entity: { users: [{ id: 'u2' }], removedUsers: [{ id: 'u1' }] },
  });
});

t.test('an invited person is bound once', async (t) => {
  const invited = given(found, confirm('u1', 'h1'), invite('u2', 'REGULAR'));
  matchWhole(t, invited.when(bind('u2', 'w2')), { entity: { users: [{}, { walletUserId: 'w2' }] } });
  const bound = given(found, confirm('u1', 'h1'), invite('u2', 'REGULAR'), bind('u2', 'w2'));
  t.strictSame(bound.when(bind('u2', 'w3')), { kind: 'unchanged' }, 'another identity gets nothing');
  const moved = bound.when(update('u2', { emailAddress: 'right@example.org' }));
  matchWhole(t, moved, { entity: { users: [{}, { walletUserId: null, activation: { idHash: 'h-new' } }] } });
  const recased = bound.when(update('u2', { emailAddress: 'U2@example.org' }));
  matchWhole(t, recased, { entity: { users: [{}, { walletUserId: 'w2', activation: { idHash: 'h-u2' } }] } });
});

t.test('users: resend only while inactive; equal fields are no change', async (t) => {
  const resend = (userId: string) => ({ type: 'RESEND', userId, activation: activation('h3') }) as const;
  const organization = given(found, confirm('u1', 'h1'), invite('u2', 'REGULAR'));
  matchWhole(t, organization.when(resend('u2')), {
    entity: { users: [{}, { activation: { idHash: 'h3' } }] },
  });
  t.match(organization.when(resend('u1')), { code: 'USER_ACTIVE' });
  t.match(organization.when(resend('u9')), { code: 'NOT_FOUND' });
  t.strictSame(organization.when(update('u2', {})), { kind: 'unchanged' });
  t.match(organization.when(update('u9', {})), { code: 'NOT_FOUND' });
  t.match(given().when(confirm('u1', 'h1')), { code: 'NOT_FOUND' }, 'no organisation');
});

t.test('names of organisations are compared after NFKC and case folding', async (t) => {
  const same = ['Straße AG', 'STRASSE AG', ' strasse  ag ', 'ｓｔｒａｓｓｅ AG'];
  t.equal(new Set(same.map(organizationNameKey)).size, 1);
  t.not(organizationNameKey('Acme'), organizationNameKey('Acme 2'));
});
