import { createECDH } from 'node:crypto';
import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { isSignatureOf, privateKeyOf, publicKeyOf, signText } from '../src/signin/secp256k1.ts';
import { signedCredentials, type UnsignedCredentials } from '../src/signin/wallet-credentials.ts';
import { createWorld, personOf, without, type World } from './world.ts';

const pair = createECDH('secp256k1');
pair.generateKeys();
const KEY = privateKeyOf(pair.getPrivateKey());
const ENV = {
  SENTINEL_WALLET: 'https://wallet.example.org/',
  SENTINEL_WALLET_PUBLIC_KEY: pair.getPublicKey('hex', 'compressed'),
};
let tokens = 0;
const statement = (world: World, more: Partial<UnsignedCredentials> = {}): UnsignedCredentials => ({
  accessToken: `token of the wallet ${++tokens}`,
  userId: 'w-1',
  email: 'ann@example.org',
  name: 'Ann',
  issuedAt: new Date(world.clock.now()).toISOString(),
  audience: 'http://localhost:8443/api/v1/e2walletlogin',
  ...more,
});
const send = (world: World, signed: object) => world.call('POST', '/e2walletlogin', signed);

t.test('[S7.25] POST /e2walletlogin takes what the wallet signed', async (t) => {
  const world = await createWorld(t, ENV);
  const credentials = signedCredentials(KEY, statement(world));
  t.equal((await send(world, credentials)).status, 204);
  const login = await world.call('GET', `/login?access_token=${encodeURIComponent(credentials.accessToken)}`);
  t.match(login.body, { success: true, name: 'Ann', userId: 'w-1' });
  t.equal((await world.call('GET', '/dev-wallet')).status, 404, 'the development wallet is off');

  const refused = async (title: string, signed: object) => {
    const answer = await send(world, signed);
    t.match(answer, { status: 401, body: { code: 'INVALID_CREDENTIALS' } }, title);
  };
  await refused('a token seen before', credentials);
  const fresh = signedCredentials(KEY, statement(world));
  await refused('another field', { ...fresh, email: 'eve@example.org' });
  await refused('another signature', { ...fresh, signature: credentials.signature });
  await refused('not a signature', { ...fresh, signature: 'abc' });
  await refused('another key', signedCredentials(privateKeyOf(Buffer.alloc(32, 1)), statement(world)));
  const audience = 'http://evil.example.org/api/v1/e2walletlogin';
  await refused('another audience', signedCredentials(KEY, statement(world, { audience })));
  const at = (ms: number) => statement(world, { issuedAt: new Date(world.clock.now() + ms).toISOString() });
  await refused('too old', signedCredentials(KEY, at(-300_001)));
  await refused('from the future', signedCredentials(KEY, at(60_001)));
  t.equal((await send(world, signedCredentials(KEY, at(-300_000)))).status, 204, 'just not too old');
  matchWhole(t, await send(world, without(fresh, 'email')), {
    status: 422,
    body: { errors: [{ path: '/email' }] },
  });
});

t.test('of two deliveries of one statement at once, one is taken', async (t) => {
  const world = await createWorld(t, ENV);
  const credentials = signedCredentials(KEY, statement(world));
  const answers = await Promise.all([send(world, credentials), send(world, credentials)]);
  t.strictSame(answers.map(({ status }) => status).sort(), [204, 401]);
});

t.test('several who claim a token at once get one session', async (t) => {
  const world = await createWorld(t, ENV);
  const credentials = signedCredentials(KEY, statement(world));
  await send(world, credentials);
  const path = `/login?access_token=${encodeURIComponent(credentials.accessToken)}`;
  const answers = await Promise.all(Array.from({ length: 4 }, () => world.call('GET', path)));
  t.equal(new Set(answers.map(({ body }) => body.token)).size, 1);
  t.equal(await world.store.count('sessions'), 1);
});

t.test('another identity with a bound e-mail gets no access', async (t) => {
  const world = await createWorld(t, ENV);
  const enter = async (userId: string) => {
    const credentials = signedCredentials(KEY, statement(world, { userId }));
    await send(world, credentials);
    const path = `/login?access_token=${encodeURIComponent(credentials.accessToken)}`;
    return personOf(world.call, await world.call('GET', path));
  };
  const ann = await enter('w-1');
  const request = { name: 'Acme', userName: 'Ann', e2Id: 'w-1', emailAddress: 'ann@example.org' };
  const { body } = await ann.call('POST', '/orgs', request);
  await world.call('PUT', `/users/confirm/link/${await world.activationOf('ann@example.org')}`);
  t.match((await ann.call('GET', '/session')).body, { orgId: body.id });
  const impostor = await enter('w-2');
  t.match(impostor.session, { orgId: null, userRole: null, userId: 'w-2' });
  t.equal((await impostor.call('GET', `/orgs/${body.id}`)).status, 404);
  const second = await impostor.call('POST', '/orgs', { ...request, name: 'Other', e2Id: 'w-2' });
  t.match(second, { status: 409, body: { code: 'USER_EXISTS' } });
});

t.test('the page of the development wallet', async (t) => {
  const world = await createWorld(t);
  const redirect = 'http://localhost:8443/authentication?state=abc';
  const callback = 'http://localhost:8443/api/v1/e2walletlogin';
  const query = new URLSearchParams({ redirect, callback, email: '"><script>', name: 'Ann' });
  const page = await world.call('GET', `/dev-wallet?${query}`);
  t.match(page.headers['content-type'], /^text\/html/);
  t.match(page.body, 'value="&quot;&gt;&lt;script&gt;"');
  t.notMatch(page.body, '<script');
  t.match(page.headers['content-security-policy'], /default-src 'none'.*script-src 'self'/);
  t.notMatch(page.headers['content-security-policy'], /unsafe/);

  const post = (fields: Record<string, string>) =>
    world.app.inject({
      method: 'POST',
      url: '/dev-wallet/login',
      headers: { host: 'localhost:8443', 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(fields).toString(),
    });
  const form = { email: 'ann@example.org', name: 'Ann', redirect, callback };
  const done = await post(form);
  t.equal(done.statusCode, 303);
  const location = new URL(String(done.headers.location));
  t.equal(location.origin + location.pathname, 'http://localhost:8443/authentication');
  t.equal(location.searchParams.get('state'), 'abc');
  const token = location.searchParams.get('access_token');
  t.match((await world.call('GET', `/login?access_token=${token}`)).body, { success: true, name: 'Ann' });

  for (const wrong of [
    { redirect: 'https://evil.example.org/authentication' },
    { callback: 'https://evil.example.org/api/v1/e2walletlogin' },
    { callback: 'http://localhost:8443/elsewhere' },
    { redirect: 'javascript:alert(1)' },
    { email: 'not an e-mail' },
  ]) {
    const refused = await post({ ...form, ...wrong });
    t.equal(refused.statusCode, 422, JSON.stringify(wrong));
    t.match(refused.body, 'role="alert"');
  }
  t.match(await world.call('POST', '/dev-wallet/login', { email: 'x' }), { status: 422 });
});

t.test('the same e-mail is the same person in the development wallet', async (t) => {
  const { signIn } = await createWorld(t);
  const [first, second] = [await signIn('ann@example.org'), await signIn('ANN@example.org')];
  t.equal(first.session.userId, second.session.userId);
  t.match(first.session.userId, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

t.test('signatures', async (t) => {
  const open = publicKeyOf(pair.getPublicKey('hex', 'uncompressed'));
  const signature = signText(KEY, 'text');
  t.ok(isSignatureOf(open, 'text', signature));
  t.notOk(isSignatureOf(open, 'texts', signature));
  t.throws(() => publicKeyOf(`02${'f'.repeat(64)}`));
  t.throws(() => privateKeyOf(Buffer.alloc(32)));
});
