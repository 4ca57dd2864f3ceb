import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { createWorld, eventually, personOf } from './world.ts';

t.test('[S1.1] [S7.27] a person signs in, founds an organisation, confirms, and is its ADMIN', async (t) => {
  const world = await createWorld(t);
  const wallet = await world.call('POST', '/dev-wallet/login', { email: 'ann@example.org', name: 'Ann' });
  t.equal(wallet.status, 200);
  const login = await world.call('GET', `/login?access_token=${wallet.body.access_token}`);

  await t.test('[S7.24] GET /login answers who it is and the token', async (t) => {
    t.match(login.body, {
      success: true,
      name: 'Ann',
      email: 'ann@example.org',
      userRole: null,
      orgId: null,
    });
    t.type(login.body.userId, 'string');
    t.match(login.body.token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
    const [header] = login.body.token.split('.');
    t.match(JSON.parse(Buffer.from(header, 'base64url').toString()), { alg: 'HS256', kid: '1' });
    t.equal(login.headers['cache-control'], 'no-store');
  });
  t.match(login.headers['set-cookie'], /^XSRF-TOKEN=[\w-]{43}; Path=\/; SameSite=Strict; Max-Age=\d+$/);

  const ann = personOf(world.call, login);
  const request = {
    name: 'Acme',
    userName: 'Ann',
    e2Id: ann.session.userId,
    emailAddress: 'ann@example.org',
  };
  const created = await ann.call('POST', '/orgs', request);
  t.equal(created.status, 201);
  t.strictSame(Object.keys(created.body), ['id']);
  t.match((await ann.call('GET', '/session')).body, { success: true, orgId: null, userRole: null });
  t.equal((await ann.call('GET', `/orgs/${created.body.id}`)).status, 404, 'not active yet');

  const activation = await world.activationOf('ann@example.org');
  await t.test('[S7.29] PUT /users/confirm/link answers the JSON string "OK", once', async (t) => {
    const confirmed = await world.call('PUT', `/users/confirm/link/${activation}`);
    t.equal(confirmed.status, 200);
    t.equal(confirmed.body, 'OK');
    t.match(confirmed.headers['content-type'], /^application\/json/);
    t.equal((await world.call('PUT', `/users/confirm/link/${activation}`)).status, 404, 'used');
    t.equal((await world.call('PUT', '/users/confirm/link/wrong')).status, 404, 'wrong');
  });
  const session = await ann.call('GET', '/session');
  t.match(session.body, { orgId: created.body.id, userRole: 'ADMIN' });
  t.match((await ann.call('GET', `/orgs/${created.body.id}`)).body, {
    name: 'Acme',
    stripeId: null,
    sentinelAddress: 'http://localhost:8443/api/v1',
  });
});

t.test('GET /login repeats for 30 s with the same session, then no more', async (t) => {
  const { call, clock } = await createWorld(t);
  const { body } = await call('POST', '/dev-wallet/login', { email: 'ann@example.org', name: 'Ann' });
  const ask = () => call('GET', `/login?access_token=${body.access_token}`);
  const first = await ask();
  clock.advance(30_000);
  t.equal((await ask()).body.token, first.body.token);
  clock.advance(1);
  t.strictSame((await ask()).body, { success: false });
  t.strictSame((await call('GET', '/login?access_token=unknown')).body, { success: false });
  t.equal((await call('GET', '/login')).status, 422);
});

t.test('a token that nobody claims lives for 5 minutes', async (t) => {
  const { call, clock } = await createWorld(t);
  const { body } = await call('POST', '/dev-wallet/login', { email: 'ann@example.org', name: 'Ann' });
  clock.advance(5 * 60_000 + 1);
  t.strictSame((await call('GET', `/login?access_token=${body.access_token}`)).body, { success: false });
});

t.test('[S7.26] POST /logout ends the token everywhere', async (t) => {
  const { signIn } = await createWorld(t);
  const ann = await signIn('ann@example.org');
  t.equal((await ann.call('GET', '/session')).status, 200);
  t.equal((await ann.call('POST', '/logout')).status, 204);
  const after = await ann.call('GET', '/session');
  t.equal(after.status, 401);
  t.match(after.body, { code: 'UNAUTHENTICATED' });
});

t.test('[S7.1] the XSRF cookie lives as long as its session, and GET /session gives it again', async (t) => {
  const { call, clock } = await createWorld(t);
  const cookieOf = (answer: { headers: Readonly<Record<string, unknown>> }) =>
    String(answer.headers['set-cookie']);
  const { body: wallet } = await call('POST', '/dev-wallet/login', { email: 'ann@example.org', name: 'Ann' });
  const login = await call('GET', `/login?access_token=${wallet.access_token}`);
  t.match(cookieOf(login), /^XSRF-TOKEN=[\w-]{43}; Path=\/; SameSite=Strict; Max-Age=43200$/);
  clock.advance(3_600_000);
  const ann = personOf(call, login);
  const session = await ann.call('GET', '/session');
  t.equal(cookieOf(session), cookieOf(login).replace('43200', '39600'), 'the same, for what is left');
  const ended = await ann.call('POST', '/logout');
  t.match(cookieOf(ended), /^XSRF-TOKEN=; Path=\/; SameSite=Strict; Max-Age=0$/, 'gone with the session');
});

t.test('a token ends after 12 hours', async (t) => {
  const { signIn, clock } = await createWorld(t);
  const ann = await signIn('ann@example.org');
  clock.advance(12 * 3_600_000 - 1);
  t.equal((await ann.call('GET', '/session')).status, 200);
  clock.advance(1);
  t.equal((await ann.call('GET', '/session')).status, 401);
});

t.test('[S7.1] the token is in x-access-token, and changing calls send X-XSRF-TOKEN', async (t) => {
  const { call, signIn } = await createWorld(t);
  const ann = await signIn('ann@example.org');
  const bob = await signIn('bob@example.org');
  t.equal((await call('GET', '/session')).status, 401, 'no token');
  t.equal((await ann.call('GET', '/session', undefined, { 'x-access-token': `${ann.token}x` })).status, 401);
  const without = await call('POST', '/logout', undefined, { 'x-access-token': ann.token });
  t.equal(without.status, 403);
  t.match(without.body, { code: 'XSRF' });
  const foreign = await ann.call('POST', '/logout', undefined, { 'x-xsrf-token': bob.xsrf });
  t.match(foreign.body, { code: 'XSRF' });
  const onPublic = await ann.call('PUT', '/users/confirm/link/x', undefined, { 'x-xsrf-token': 'wrong' });
  t.match(onPublic.body, { code: 'XSRF' });
});

t.test('an invitation is bound at the first sign-in with its e-mail', async (t) => {
  const { organization, signIn, activationOf, call } = await createWorld(t);
  const ann = await organization('Acme', 'ann@example.org');
  const invited = { name: 'Bob', email: 'Bob@example.org', type: 'REGULAR', orgId: ann.orgId };
  const { body: created } = await ann.call('POST', `/users/${ann.orgId}`, invited);
  const bob = await signIn('bob@example.org');
  t.match(bob.session, { orgId: null, userRole: null, userId: created.id });
  await call('PUT', `/users/confirm/link/${await activationOf('Bob@example.org')}`);
  t.match((await bob.call('GET', '/session')).body, { orgId: ann.orgId, userRole: 'REGULAR', name: 'Bob' });
});

t.test('[S7.30] deleting a user ends the sessions at once and frees the e-mail', async (t) => {
  const { organization, member, signIn } = await createWorld(t);
  const ann = await organization('Acme', 'ann@example.org');
  const bob = await member(ann, 'bob@example.org', 'REGULAR');
  t.equal((await bob.call('GET', '/session')).status, 200);
  const deleted = await ann.call('DELETE', `/users/${ann.orgId}/${bob.userId}`);
  t.equal(deleted.status, 200);
  t.strictSame(deleted.body, {});
  t.equal((await ann.call('GET', `/users/${ann.orgId}/${bob.userId}`)).status, 404);
  const left = (await ann.call('GET', `/users/${ann.orgId}`)).body.users as { id: string }[];
  t.notOk(left.some(({ id }) => id === bob.userId));
  t.equal((await bob.call('GET', '/session')).status, 401);
  t.match((await signIn('bob@example.org')).session, { orgId: null });
  const again = { name: 'Bob', email: 'bob@example.org', type: 'REGULAR', orgId: ann.orgId };
  t.equal((await ann.call('POST', `/users/${ann.orgId}`, again)).status, 201);
});

t.test('calls of one address to GET /login are limited, with standard headers', async (t) => {
  const { call } = await createWorld(t, { SENTINEL_LIMIT_LOGIN: '3' });
  const ask = () => call('GET', '/login?access_token=unknown');
  const first = await ask();
  matchWhole(t, first.headers, { 'ratelimit-limit': '3', 'ratelimit-remaining': '2' });
  await ask();
  await ask();
  const over = await ask();
  t.equal(over.status, 429);
  t.match(over.body, { code: 'RATE_LIMITED' });
  t.ok(Number(over.headers['retry-after']) >= 1);
});

t.test('mail waits for the commit that it belongs to, and dev-mail shows it', async (t) => {
  const { organization, call } = await createWorld(t);
  await organization('A <b> & co', 'ann@example.org');
  const [mail] = await eventually(async () => {
    const { body } = await call('GET', '/dev-mail/messages');
    return body.length > 0 ? body : undefined;
  });
  matchWhole(t, mail, {
    to: 'ann@example.org',
    links: [/^http:\/\/localhost:8443\/user\/confirm\/[\w-]{43}$/],
  });
  t.match(mail.html, 'A &lt;b&gt; &amp; co');
  const page = await call('GET', '/dev-mail');
  t.match(page.headers['content-type'], /^text\/html/);
  t.match(page.body, mail.links[0]);
});
