import { createHmac } from 'node:crypto';
import t, { type Test } from 'tap';
import type { FileHistory } from './chain-records.ts';
import { exampleRequest, type ExampleRequest } from './example-request.ts';
import { callsOf, documentOf } from './openapi-document.ts';
import { createScene, type Scene } from './scene.ts';
import { secondProcess } from './second-process.ts';
import { openStream } from './sse-client.ts';
import { createWorld, DEVICE, eventually, NO_LIMITS, personOf, type Person, type World } from './world.ts';

interface Named {
  readonly name: string;
  readonly request: ExampleRequest;
}

const SESSION_MS = 12 * 3_600_000;

t.test('tokens and keys that do not hold, at every route that asks for one', async (t) => {
  const world = await createWorld(t, NO_LIMITS);
  const expired = await world.organization('Early birds', 'early@example.org');
  world.clock.advance(SESSION_MS);
  const scene = await createScene(world, new Map<string, FileHistory>());
  const { withToken, withKey } = await routesOf(world, scene);

  await t.test(
    '[S7.1] 401 without a token, and with one that is not good any more, or never was',
    async (t) => {
      const loggedOut = await world.signIn(scene.email('ada'));
      await loggedOut.call('POST', '/logout');
      const deleted = await world.member(scene.admin, scene.email('dave'), 'REGULAR');
      await scene.admin.call('DELETE', `/users/${scene.orgId}/${deleted.userId}`);
      const bad = { ...forgeries(scene.admin.token), expired: expired.token, revoked: loggedOut.token };
      for (const [title, token] of Object.entries({ ...bad, 'of a deleted user': deleted.token })) {
        const faults: string[] = [];
        for (const { name, request } of withToken) {
          const answer = await request.send({ headers: { 'x-access-token': token } });
          if (answer.status !== 401 || answer.body.code !== 'UNAUTHENTICATED')
            faults.push(`${name}: ${answer.status}`);
        }
        t.strictSame(faults, [], title);
      }
      t.ok(withToken.length > 35);
    },
  );

  await t.test('[S7.1] 403 XSRF when the header is missing, wrong, or of another session', async (t) => {
    const again = await world.signIn(scene.email('ada'));
    for (const [title, xsrf] of Object.entries({ missing: '', wrong: 'f'.repeat(64), other: again.xsrf })) {
      const faults: string[] = [];
      for (const { name, request } of withToken.filter(({ request: { method } }) => method !== 'GET')) {
        const answer = await request.send({ headers: { 'x-xsrf-token': xsrf } });
        if (answer.status !== 403 || answer.body.code !== 'XSRF') faults.push(`${name}: ${answer.status}`);
      }
      t.strictSame(faults, [], title);
    }
  });

  await t.test('401 with a key that is not the device’s', async (t) => {
    const device = await scene.admin.call('POST', `/devices/${scene.orgId}`, DEVICE);
    const neighbour = await scene.admin.call('GET', `/devices/${scene.orgId}/${device.body.id}`);
    const flipped = scene.apiKey.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    const keys = {
      none: '',
      'of a neighbour': neighbour.body.apiKey,
      tampered: flipped,
      'a token': scene.admin.token,
    };
    t.equal(withKey.length, 4);
    for (const [title, key] of Object.entries(keys)) {
      for (const { name, request } of withKey) {
        const answer = await request.send({ headers: { 'x-api-key': key } });
        t.match(answer, { status: 401, body: { code: 'INVALID_API_KEY' } }, `${title}: ${name}`);
      }
    }
  });
});

t.test('a token ends everywhere at once', async (t) => {
  const world = await createWorld(t, NO_LIMITS);
  const scene = await createScene(world, new Map<string, FileHistory>());

  await t.test('[S4.17] with logout', async (t) => {
    await endsWith(t, world, scene, await world.signIn(scene.email('ada')), (person) =>
      person.call('POST', '/logout'),
    );
  });
  await t.test('with the deletion of the user', async (t) => {
    const leaving = await world.member(scene.admin, scene.email('leo'), 'REGULAR');
    await endsWith(t, world, scene, leaving, () =>
      scene.admin.call('DELETE', `/users/${scene.orgId}/${leaving.userId}`),
    );
    t.equal((await world.signIn(scene.email('leo'))).session.orgId, null);
  });
});

t.test(
  'with a new key every token made with the former one ends, in the processes that have that one too',
  async (t) => {
    const env = { ...NO_LIMITS, SENTINEL_LIMIT_USER_CALLS: '100000' };
    const world = await createWorld(t, env);
    const scene = await createScene(world, new Map<string, FileHistory>());
    const person = await world.signIn(scene.email('ada'));
    await endsWith(t, world, scene, person, async () => {
      const renewed = await secondProcess(t, world, { ...env, SENTINEL_SESSION_KEY: '2' });
      const headers = { 'x-access-token': person.token };
      t.equal((await renewed('GET', '/session', undefined, headers)).status, 401);
      const { body: wallet } = await renewed('POST', '/dev-wallet/login', {
        email: scene.email('ada'),
        name: 'Ada',
      });
      const again = personOf(renewed, await renewed('GET', `/login?access_token=${wallet.access_token}`));
      t.equal(JSON.parse(Buffer.from(again.token.split('.')[0]!, 'base64url').toString()).kid, '2');
      t.equal((await again.call('GET', '/session')).status, 200);
      t.equal(
        (await world.call('GET', '/session', undefined, { 'x-access-token': again.token })).status,
        401,
      );
    });
  },
);

/** Checks calls and an open stream of one person before, and their end after. */
async function endsWith(
  t: Test,
  world: World,
  { orgId }: Scene,
  person: Person,
  end: (person: Person) => Promise<unknown>,
): Promise<void> {
  const stream = await openStream(t, world, person, orgId);
  await stream.next(({ event }) => event === 'ready');
  t.equal((await person.call('GET', '/session')).status, 200);
  await end(person);
  for (const path of ['/session', `/devices/${orgId}`, `/events/${orgId}`])
    t.equal((await person.call('GET', path)).status, 401, path);
  t.equal((await openStream(t, world, person, orgId)).status, 401, 'no new stream');
  await eventually(async () => (stream.isEnded() ? true : undefined));
  t.pass('the open stream has ended');
}

async function routesOf(world: World, scene: Scene): Promise<{ withToken: Named[]; withKey: Named[] }> {
  const [withToken, withKey]: [Named[], Named[]] = [[], []];
  for (const one of callsOf(await documentOf(world))) {
    const security = one.call.security ?? [];
    if (security.length === 0) continue;
    const request = await exampleRequest(world, scene, one);
    const isKey = security.some((scheme) => 'deviceKey' in scheme);
    (isKey ? withKey : withToken).push({ name: one.name, request });
  }
  return { withToken, withKey };
}

/** Returns bad tokens made from a good one. */
function forgeries(token: string): Record<string, string> {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
  const signed = (secret: string): string => {
    const text = `${header}.${payload}`;
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  return {
    missing: '',
    nonsense: 'not.a.token',
    'with another payload': `${header}.${encoded({ ...claims, sub: 'somebody else' })}.${signature}`,
    'with another signature': `${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
    'without a signature': `${encoded({ alg: 'none', typ: 'JWT' })}.${payload}.`,
    'of a foreign service': signed('a secret of somebody else'),
    'very long': `${token}${'x'.repeat(10_000)}`,
  };
}
