/** Tests that nobody can make this service send a stranger many mails. */
import t from 'tap';
import { MAIL_DAYS_COLLECTION } from '../src/mail/mail-limits.ts';
import { removeExpired } from '../src/signin/housekeeping.ts';
import { createPlace } from './place.ts';
import { createWorld } from './world.ts';

const DAY_MS = 24 * 3_600_000;
const STRANGER = 'stranger@example.net';

t.test('inviting and deleting one address in a loop ends, for every organisation together', async (t) => {
  const world = await createWorld(t);
  const acme = await world.organization('Acme', 'ada@example.org');
  const other = await world.organization('Other', 'olga@example.org');
  const invite = async (admin: typeof acme, email: string) => {
    const request = { name: 'Eve', email, type: 'REGULAR', orgId: admin.orgId };
    const answer = await admin.call('POST', `/users/${admin.orgId}`, request);
    if (answer.status === 201) await admin.call('DELETE', `/users/${admin.orgId}/${answer.body.id}`);
    return answer;
  };
  const statuses: number[] = [];
  for (let n = 0; n < 20; n++) {
    const admin = n % 2 === 0 ? acme : other;
    statuses.push((await invite(admin, n % 3 === 0 ? STRANGER : `Stranger+${n}@example.net`)).status);
  }
  t.same(statuses, [...Array<number>(10).fill(201), ...Array<number>(10).fill(429)]);
  const refused = await invite(acme, STRANGER);
  t.match(refused.body, { code: 'RATE_LIMITED', detail: /at most 10 mails a day/ });
  t.equal(
    Number(refused.headers['retry-after']),
    ((DAY_MS - (world.clock.now() % DAY_MS)) / 1_000 + 0.999) | 0,
  );
  t.equal((await invite(other, 'somebody@example.net')).status, 201, 'another address');
  const kept = await world.store.find(MAIL_DAYS_COLLECTION.name, { limit: 100 });
  t.notMatch(JSON.stringify(kept), /stranger/i, 'no address is kept');
  world.clock.advance(DAY_MS);
  const later = { ...(await world.signIn('ada@example.org')), orgId: acme.orgId };
  t.equal((await invite(later, STRANGER)).status, 201, 'tomorrow');
  await removeExpired(world.store, MAIL_DAYS_COLLECTION.name, world.clock.now());
  t.equal((await world.store.find(MAIL_DAYS_COLLECTION.name, { limit: 100 })).length, 2, 'only of today');
});

t.test('an organisation invites, and invites again, so many a day', async (t) => {
  const world = await createWorld(t, {
    SENTINEL_LIMIT_INVITATIONS: '3',
    SENTINEL_LIMIT_RESEND: '1000',
  });
  const acme = await world.organization('Acme', 'ada@example.org');
  const invite = (email: string) =>
    acme.call('POST', `/users/${acme.orgId}`, { name: 'Eve', email, type: 'REGULAR', orgId: acme.orgId });
  const { body } = await invite('eve@example.net');
  t.equal((await acme.call('POST', `/users/resend/activationlink/${acme.orgId}/${body.id}`)).status, 200);
  const refused = await invite('max@example.net');
  t.equal(refused.status, 429, 'its own activation, an invitation, and that again');
  t.match(refused.body.detail, /3 invitations/);
  const other = await world.organization('Other', 'olga@example.org');
  t.ok(other.orgId, 'another organisation is founded');
});

t.test('an organisation founded again and again is one address that gets mails', async (t) => {
  const world = await createWorld(t);
  const founder = await world.signIn('eve@example.org');
  const found = () =>
    founder.call('POST', '/orgs', {
      name: 'Acme',
      userName: 'Eve',
      e2Id: founder.session.userId,
      emailAddress: STRANGER,
    });
  const statuses: number[] = [];
  for (let n = 0; n < 12; n++) statuses.push((await found()).status);
  t.same(statuses, [...Array<number>(10).fill(201), 429, 429]);
});

t.test('sharing an alert counts for its addresses too', async (t) => {
  const here = await createPlace(t, { SENTINEL_LIMIT_SHARE: '1000' });
  const { admin, orgId, deviceId, history } = here;
  history.baseline();
  const [alert] = history.breach().alerts;
  await here.write();
  const share = () =>
    admin.call('POST', `/alerts/share/${orgId}/${deviceId}/${alert!.id}`, {
      sharedEmailAddresses: [STRANGER],
    });
  const statuses: number[] = [];
  for (let n = 0; n < 12; n++) statuses.push((await share()).status);
  t.same(statuses, [...Array<number>(10).fill(200), 429, 429]);
});
