/** Tests that nobody can make this service send a stranger many mails. */
import { matchWhole } from '@sentinel-node/test-kit/matching';
import t from 'tap';
import { SHARES_COLLECTION } from '../src/alerts/index.ts';
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

t.test('a share that is refused uses up nothing, and says for which addresses', async (t) => {
  const limits = { SENTINEL_LIMIT_SHARE: '1000', SENTINEL_LIMIT_SHARE_ADDRESSES: '13' };
  const here = await createPlace(t, limits);
  const { admin, orgId, deviceId, history } = here;
  history.baseline();
  const [alert] = history.breach().alerts;
  await here.write();
  const share = (...sharedEmailAddresses: string[]) =>
    admin.call('POST', `/alerts/share/${orgId}/${deviceId}/${alert!.id}`, { sharedEmailAddresses });
  for (let n = 0; n < 9; n++) t.equal((await share(STRANGER)).status, 200);
  for (let n = 0; n < 12; n++) {
    const tagged = STRANGER.replace('@', `+${n}@`);
    const refused = await share('a@example.net', STRANGER, 'b@example.net', tagged);
    matchWhole(t, refused, {
      status: 429,
      body: {
        code: 'RATE_LIMITED',
        detail: `An address gets at most 10 mails a day. Nothing was sent because of ${STRANGER}, ${tagged}.`,
        errors: [{ path: '/sharedEmailAddresses/1' }, { path: '/sharedEmailAddresses/3' }],
      },
    });
    t.ok(Number(refused.headers['retry-after']) > 0);
  }
  t.equal((await share('a@example.net', 'b@example.net', 'c@example.net', STRANGER)).status, 200, '13 of 13');
  t.match((await share('a@example.net')).body, { code: 'RATE_LIMITED', detail: /at most 13 addresses/ });
});

t.test('an invitation of an address that had its mails is none of the organisation', async (t) => {
  const world = await createWorld(t, { SENTINEL_LIMIT_INVITATIONS: '3', SENTINEL_LIMIT_ADDRESS_MAILS: '2' });
  const acme = await world.organization('Acme', 'ada@example.org');
  const invite = (email: string) =>
    acme.call('POST', `/users/${acme.orgId}`, { name: 'Eve', email, type: 'REGULAR', orgId: acme.orgId });
  const other = await world.organization('Other', STRANGER);
  for (const tag of ['+a', '+b', '+c']) {
    const request = {
      name: 'Eve',
      email: STRANGER.replace('@', `${tag}@`),
      type: 'REGULAR',
      orgId: other.orgId,
    };
    await other.call('POST', `/users/${other.orgId}`, request);
  }
  for (let n = 0; n < 5; n++)
    t.match((await invite(STRANGER.replace('@', `+${n}@`))).body, { detail: /at most 2 mails a day/ });
  t.equal((await invite('a@example.net')).status, 201);
  t.equal((await invite('b@example.net')).status, 201);
});

t.test('a share beyond the addresses of an alert uses up nothing', async (t) => {
  const limits = { SENTINEL_LIMIT_SHARE: '1000', SENTINEL_LIMIT_SHARE_ADDRESSES: '3' };
  const here = await createPlace(t, limits);
  const { world, admin, orgId, deviceId, history } = here;
  history.baseline();
  const [alert] = history.breach().alerts;
  await here.write();
  const share = (...sharedEmailAddresses: string[]) =>
    admin.call('POST', `/alerts/share/${orgId}/${deviceId}/${alert!.id}`, { sharedEmailAddresses });
  t.equal((await share('a@example.net')).status, 200);
  const stored = await world.store.get(SHARES_COLLECTION.name, alert!.id);
  const timestamp = new Date(world.clock.now()).toISOString();
  const sharedData = Array.from({ length: 1_000 }, (_, n) => ({
    emailAddress: `${n}@example.org`,
    timestamp,
  }));
  await world.store.update(
    SHARES_COLLECTION.name,
    { ...stored!, rev: stored!.rev + 1, sharedData },
    stored!.rev,
  );
  for (let n = 0; n < 5; n++)
    t.match((await share('b@example.net')).body, { code: 'LIMIT_REACHED', detail: /1000 addresses/ });
  t.equal((await share('1@example.org', '2@example.org')).status, 200);
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
