/** Decisions about service tokens: given, when, then. */
import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { LIMITS, type CreateServiceToken, type ServiceTokenEntity } from '@sentinel-node/contracts';
import {
  decideServiceToken,
  serviceTokenState,
  type ServiceTokenCommand,
} from '../src/registry/service-token.ts';

const AT = Date.UTC(2026, 10, 21);
const DAY_MS = 24 * 3_600_000;
const stamp = { at: AT, version: 1, by: { userId: 'u', email: 'ada@example.org' } };
const make = (more: Partial<CreateServiceToken> = {}): ServiceTokenCommand => ({
  type: 'MAKE',
  id: 's',
  orgId: 'o',
  tokenHash: 'hash',
  fields: { name: 'Pipeline', role: 'REGULAR', readOnly: true, ...more },
  deviceNames: ['web-1'],
});

function entityOf(decision: ReturnType<typeof decideServiceToken>): ServiceTokenEntity {
  if (decision.kind !== 'changed') throw new Error(decision.kind);
  return decision.entity;
}
const made = entityOf(decideServiceToken(make(), undefined, stamp));

t.test('a token is made, for 90 days unless the request says otherwise', async (t) => {
  t.strictSame(made, {
    kind: 'SERVICE_TOKEN',
    id: 's',
    orgId: 'o',
    name: 'Pipeline',
    role: 'REGULAR',
    readOnly: true,
    tokenHash: 'hash',
    expiresAt: AT + LIMITS.serviceTokenDaysDefault * DAY_MS,
    creationDate: AT,
    createdBy: 'ada@example.org',
    endedAt: null,
  });
  const given = decideServiceToken(
    make({ expiresInDays: 2, role: 'ADMIN', readOnly: false }),
    undefined,
    stamp,
  );
  t.match(entityOf(given), { expiresAt: AT + 2 * DAY_MS, role: 'ADMIN', readOnly: false });
  const note = {
    by: 'ada@example.org',
    serviceToken: 'Pipeline',
    role: 'ADMIN',
    readOnly: false,
    expires: '2026-11-23T00:00:00.000Z',
  };
  t.strictSame(given.kind === 'changed' && [given.events, given.policies], [
    [{ type: 'CREATE_SERVICE_TOKEN', deviceId: null, fileId: null, note: JSON.stringify(note) }],
    [],
  ]);
  const unknown = entityOf(decideServiceToken(make(), undefined, { ...stamp, by: null }));
  t.equal(unknown.createdBy, '');
});

t.test('a token is made once and ended once', async (t) => {
  t.match(decideServiceToken(make(), made, stamp), { kind: 'refused', code: 'CONFLICT' });
  t.match(decideServiceToken({ type: 'END' }, undefined, stamp), { kind: 'refused', code: 'NOT_FOUND' });
  const later = { ...stamp, at: AT + 5 };
  const ended = decideServiceToken({ type: 'END' }, made, later);
  t.strictSame(entityOf(ended), { ...made, endedAt: AT + 5 });
  matchWhole(t, ended, {
    events: [
      {
        type: 'END_SERVICE_TOKEN',
        note: JSON.stringify({ by: 'ada@example.org', serviceToken: 'Pipeline' }),
      },
    ],
  });
  t.strictSame(decideServiceToken({ type: 'END' }, entityOf(ended), later), { kind: 'unchanged' });
});

t.test('a token is valid until its time, or its end', async (t) => {
  const { expiresAt } = made;
  t.equal(serviceTokenState(made, expiresAt - 1), 'VALID');
  t.equal(serviceTokenState(made, expiresAt), 'EXPIRED');
  t.equal(serviceTokenState({ ...made, endedAt: AT }, expiresAt + 1), 'ENDED');
});

t.test('limits are kept and told; those that name nothing are refused', (t) => {
  const limits = { deviceIds: ['d'], labels: ['site:graz'] };
  const decision = decideServiceToken(make({ limits }), undefined, stamp);
  t.strictSame(entityOf(decision).limits, limits);
  matchWhole(t, decision, { events: [{ note: /"devices":\["web-1"\],"labels":\["site:graz"\]/ }] });
  for (const one of [
    { deviceIds: ['d'], labels: [] },
    { deviceIds: [], labels: ['site:graz'] },
  ])
    t.strictSame(entityOf(decideServiceToken(make({ limits: one }), undefined, stamp)).limits, one);
  matchWhole(t, decideServiceToken(make({ limits: { deviceIds: [], labels: [] } }), undefined, stamp), {
    kind: 'refused',
    errors: [{ path: '/limits' }],
  });
  t.end();
});
