/** Tests every limit of the published table: its number, whom it counts, and the headers of its answers. */
import t, { type Test } from 'tap';
import { CLOCK_COLLECTION } from '@sentinel-node/platform';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { SESSIONS_COLLECTION } from '../src/signin/sessions.ts';
import { createPlace } from './place.ts';
import { QUIET } from './quiet-timers.ts';
import { createWorld, type Answer, type World } from './world.ts';

const MINUTE_SECONDS = 60;

/** Checks that `limit` calls are answered and the next is not; every answer states the remaining calls. */
async function holds(t: Test, limit: number, call: () => Promise<Answer>): Promise<void> {
  for (let left = limit - 1; left >= 0; left--) {
    const { status, headers } = await call();
    t.not(status, 429);
    matchWhole(t, headers, { 'ratelimit-limit': String(limit), 'ratelimit-remaining': String(left) });
    t.ok(Number(headers['ratelimit-reset']) <= MINUTE_SECONDS);
  }
  const { status, body, headers } = await call();
  t.equal(status, 429);
  t.match(body, { code: 'RATE_LIMITED', status: 429 });
  t.equal(headers['ratelimit-remaining'], '0');
  t.ok(Number(headers['retry-after']) >= 1 && Number(headers['retry-after']) <= MINUTE_SECONDS);
}

const from = (address: string) => ({ 'x-forwarded-for': address });
const login = (world: World, headers = {}) => world.call('GET', '/login?access_token=x', undefined, headers);

t.test('signing in is limited by address, and only a trusted proxy says which', async (t) => {
  const world = await createWorld(t, { SENTINEL_LIMIT_LOGIN: '3', SENTINEL_TRUSTED_PROXIES: 'loopback' });
  await holds(t, 3, () => login(world, from('203.0.113.1')));
  await holds(t, 3, () => login(world, from('203.0.113.2')));
  // The address that the proxy saw is last; the client's own claim precedes it.
  t.equal((await login(world, from('198.51.100.9, 203.0.113.1'))).status, 429);
});

t.test('without a trusted proxy a forwarded address is not believed', async (t) => {
  const world = await createWorld(t, { SENTINEL_LIMIT_LOGIN: '2' });
  for (const address of ['203.0.113.1', '203.0.113.2'])
    t.equal((await login(world, from(address))).status, 200);
  t.equal((await login(world, from('203.0.113.3'))).status, 429);
});

t.test('calls without a good token are limited by address; who has one there is served', async (t) => {
  const world = await createWorld(t, {
    SENTINEL_LIMIT_USER_CALLS: '3',
    SENTINEL_TRUSTED_PROXIES: 'loopback',
  });
  const guess = (address: string, token = 'x.y.z') =>
    world.call('GET', '/session', undefined, { ...from(address), 'x-access-token': token });
  for (let n = 0; n < 3; n++)
    t.match(await guess('203.0.113.1'), { status: 401, body: { code: 'UNAUTHENTICATED' } });
  const { status, body, headers } = await guess('203.0.113.1');
  t.equal(status, 429);
  t.equal(body.code, 'RATE_LIMITED');
  matchWhole(t, headers, { 'ratelimit-limit': '3', 'ratelimit-remaining': '0', 'retry-after': '20' });
  t.ok(Number(headers['ratelimit-reset']) <= MINUTE_SECONDS);
  t.equal((await guess('203.0.113.2')).status, 401, 'another address');
  const ada = await world.signIn('ada@example.org');
  const served = await ada.call('GET', '/session', undefined, from('203.0.113.1'));
  t.equal(served.status, 200, 'a good token behind the same address');
  matchWhole(t, served.headers, { 'ratelimit-remaining': '2' }, 'with its own share');
  t.equal(
    (await world.call('GET', '/test', undefined, from('203.0.113.1'))).status,
    200,
    'what needs no token',
  );
  world.clock.advance(20_000);
  t.equal((await guess('203.0.113.1')).status, 401);
});

t.test('activation links are limited by address', async (t) => {
  const world = await createWorld(t, { SENTINEL_LIMIT_CONFIRM: '2' });
  await holds(t, 2, () => world.call('PUT', '/users/confirm/link/unknown'));
});

t.test('invitations sent again are limited by user', async (t) => {
  const world = await createWorld(t, { SENTINEL_LIMIT_RESEND: '2' });
  const admin = await world.organization('Acme', 'ada@example.org');
  const second = await world.member(admin, 'bea@example.org', 'ADMIN');
  const { orgId } = admin;
  const request = { name: 'New', email: 'new@example.org', type: 'REGULAR', orgId };
  const { id } = (await admin.call('POST', `/users/${orgId}`, request)).body;
  const path = `/users/resend/activationlink/${orgId}/${id}`;
  await holds(t, 2, () => admin.call('POST', path));
  await holds(t, 2, () => second.call('POST', path));
});

t.test('calls are limited by user, whatever they are and wherever they come from', async (t) => {
  const world = await createWorld(t, {
    SENTINEL_LIMIT_USER_CALLS: '8',
    SENTINEL_TRUSTED_PROXIES: 'loopback',
  });
  const ada = await world.signIn('ada@example.org');
  let n = 0;
  await holds(t, 8, () => {
    n++;
    return ada.call(
      'GET',
      n % 2 === 0 ? '/session' : '/devices/category/intervals',
      undefined,
      from(`203.0.113.${n}`),
    );
  });
  const again = await world.signIn('ada@example.org');
  t.equal((await again.call('GET', '/session')).status, 429, 'another session of the same person');
  const other = await world.signIn('bob@example.org');
  t.equal((await other.call('GET', '/session')).status, 200);
});

t.test('calls are limited by organisation, whoever of it calls', async (t) => {
  const world = await createWorld(t, { SENTINEL_LIMIT_ORGANIZATION_CALLS: '1000' });
  const admin = await world.organization('Acme', 'ada@example.org');
  const second = await world.member(admin, 'bea@example.org', 'REGULAR');
  const other = await world.organization('Beta', 'bob@example.org');
  let answered = 0;
  let last = await admin.call('GET', '/session');
  for (; last.status === 200 && answered < 2_000; answered++)
    last = await (answered % 2 === 0 ? second : admin).call('GET', '/session');
  matchWhole(t, last, {
    status: 429,
    body: { code: 'RATE_LIMITED' },
    headers: { 'ratelimit-limit': '1000' },
  });
  t.ok(answered > 900 && answered <= 1_000, `${answered} calls`);
  for (const member of [admin, second]) {
    t.equal((await member.call('GET', '/session')).status, 429);
    const reads = t.capture(world.store, 'getMany', world.store.getMany.bind(world.store));
    t.equal((await member.call('GET', '/session')).status, 429);
    t.same(
      reads().filter(({ args: [collection] }) => collection === SESSIONS_COLLECTION.name),
      [],
      'and its session is not read again',
    );
    reads.restore();
  }
  t.equal((await other.call('GET', '/session')).status, 200, 'another organisation is served');
  t.equal((await admin.call('GET', '/test')).status, 200, 'what needs no token');
});

t.test('a token that has ended uses up no calls of its organisation', async (t) => {
  const world = await createWorld(t, { SENTINEL_LIMIT_ORGANIZATION_CALLS: '10' });
  const admin = await world.organization('Acme', 'ada@example.org');
  // A minute later all calls are free again.
  world.clock.advance(60_000);
  const ended = await world.signIn('ada@example.org');
  t.equal((await ended.call('GET', '/session')).status, 200);
  t.equal((await ended.call('POST', '/logout')).status, 204);
  for (let n = 0; n < 20; n++) t.equal((await ended.call('GET', '/session')).status, 401);
  for (let n = 0; n < 5; n++) t.equal((await admin.call('GET', '/session')).status, 200);
});

t.test('a call of a user who had too many reads nothing from the store', async (t) => {
  const world = await createWorld(t, { SENTINEL_LIMIT_USER_CALLS: '2' }, { timers: QUIET });
  const ada = await world.signIn('ada@example.org');
  const session = () => ada.call('GET', '/session');
  await holds(t, 2, session);
  const gets = t.capture(world.store, 'get', world.store.get.bind(world.store));
  const reads = t.capture(world.store, 'getMany', world.store.getMany.bind(world.store));
  const { status, body, headers } = await session();
  t.equal(status, 429);
  t.equal(body.code, 'RATE_LIMITED');
  matchWhole(t, headers, { 'ratelimit-limit': '2', 'ratelimit-remaining': '0', 'retry-after': /^[1-9]/ });
  t.equal(headers['ratelimit-reset'], headers['retry-after']);
  // Ingestion compares its clock with that of others at times of its own.
  const own = [...gets(), ...reads()].filter(({ args: [name] }) => String(name) !== CLOCK_COLLECTION.name);
  t.equal(own.length, 0);
  t.equal((await ada.call('GET', '/test')).status, 200, 'what needs no token');
  world.clock.advance(-3_600_000);
  const waitSeconds = Number((await session()).headers['retry-after']);
  t.ok(waitSeconds > 0 && waitSeconds <= MINUTE_SECONDS, `${waitSeconds} s after the clock was set back`);
});

t.test('the configuration of an agent counts for the member who reads it', async (t) => {
  const { admin, orgId, deviceId } = await createPlace(t, { SENTINEL_LIMIT_USER_CALLS: '6' });
  const read = () => admin.call('GET', `/devices/config/${orgId}/${deviceId}`);
  const first = await read();
  const left = Number(first.headers['ratelimit-remaining']);
  matchWhole(t, first, {
    status: 200,
    headers: { 'ratelimit-limit': '6', 'x-content-type-options': 'nosniff' },
  });
  for (let n = 0; n < left; n++) t.equal((await read()).status, 200);
  t.match(await read(), { status: 429, body: { code: 'RATE_LIMITED' }, headers: { 'retry-after': /\d/ } });
  t.equal((await admin.call('GET', '/session')).status, 429, 'with the other calls');
});

t.test('what the wallet tells counts with the other calls of its address', async (t) => {
  const world = await createWorld(t, { SENTINEL_LIMIT_LOGIN: '2', SENTINEL_LIMIT_USER_CALLS: '4' });
  await holds(t, 4, () => world.call('POST', '/e2walletlogin', {}));
  await holds(t, 2, () => login(world));
});

t.test('shares are limited by user, by addresses of a share, and by addresses of a day', async (t) => {
  const here = await createPlace(t, { SENTINEL_LIMIT_SHARE: '4', SENTINEL_LIMIT_SHARE_ADDRESSES: '30' });
  const { world, admin, orgId, deviceId, history } = here;
  history.baseline();
  const [alert] = history.breach().alerts;
  await here.write();
  const second = await world.member(admin, 'bea@example.org', 'ADMIN');
  const addresses = (count: number, name = 'a') =>
    Array.from({ length: count }, (_, n) => `${name}${n}@example.org`);
  const share = (person: typeof admin | typeof second, sharedEmailAddresses: string[]) =>
    person.call('POST', `/alerts/share/${orgId}/${deviceId}/${alert!.id}`, { sharedEmailAddresses });
  t.equal((await share(second, addresses(21))).status, 422, 'twenty a share');
  t.equal((await share(second, addresses(20))).status, 200);
  const much = await share(second, addresses(11, 'b'));
  t.equal(much.status, 429, 'a day, an organisation');
  t.ok(Number(much.headers['retry-after']) > MINUTE_SECONDS);
  await holds(t, 4, () => share(admin, addresses(1)));
  world.clock.advance(24 * 3_600_000);
  const later = { ...second, ...(await world.signIn('bea@example.org')) };
  t.equal((await share(later, addresses(20))).status, 200, 'the next day');
  t.equal(await world.store.count('share_days'), 1, 'no day is kept for ever');
});
