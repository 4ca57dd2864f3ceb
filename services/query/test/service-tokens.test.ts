/** Service tokens: what administrators do with them, and what programs can call with them. */
import t from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { LIMITS, uuidV7, type CreateServiceToken } from '@sentinel-node/contracts';
import { SERVICE_TOKEN_LIMITS } from '../src/service-tokens/limits.ts';
import { VIEWS } from '../src/views/index.ts';
import { allKept } from './kept.ts';
import { createPlace } from './place.ts';
import { secondProcess } from './second-process.ts';
import { verifyClaims } from './small-verifier.ts';
import {
  createWorld,
  DEVICE,
  foundOrganization,
  NO_LIMITS,
  untilShown,
  type Answer,
  type Person,
  type World,
} from './world.ts';

const DAY_MS = 24 * 3_600_000;
const READER = { name: 'Report', role: 'REGULAR', readOnly: true } as const;
const ADMIN = { name: 'Rollout', role: 'ADMIN', readOnly: false } as const;

type Admin = Person & { readonly orgId: string };
type Made = { readonly id: string; readonly token: string };

async function made(admin: Admin, fields: CreateServiceToken): Promise<Made> {
  return (await admin.call('POST', `/service-tokens/${admin.orgId}`, fields)).body;
}

/** A program: it sends the token as RFC 6750 says, and neither cookie nor XSRF token. */
const program =
  (world: Pick<World, 'call'>, { token }: Pick<Made, 'token'>) =>
  (method: string, path: string, body?: unknown): Promise<Answer> =>
    world.call(method, path, body, { authorization: `Bearer ${token}` });

const listed = async (admin: Admin): Promise<Record<string, unknown>[]> =>
  (await admin.call('GET', `/service-tokens/${admin.orgId}`)).body.serviceTokens;

const notesOf = async (admin: Admin, type: string): Promise<unknown[]> => {
  const { body } = await admin.call('GET', `/events/${admin.orgId}?limit=500`);
  return (body.events as { type: string; note: string }[])
    .filter((event) => event.type === type)
    .map(({ note }) => JSON.parse(note) as unknown);
};

const world = await createWorld(t, NO_LIMITS);

t.test('a program reads what its role may read, and is named as the token', async (t) => {
  const admin = await foundOrganization(world);
  const token = await made(admin, READER);
  t.match(token.token, new RegExp(`^sst1\\.${token.id}\\.[\\w-]{43}$`));
  const call = program(world, token);

  t.equal((await call('GET', `/devices/${admin.orgId}`)).status, 200);
  t.equal((await call('GET', `/dashboard/${admin.orgId}`)).status, 200);
  t.match(await call('GET', `/service-tokens/${admin.orgId}`), { status: 403 }, 'its role is REGULAR');
  t.match(
    await call('POST', `/devices/${admin.orgId}`, DEVICE),
    { status: 403, body: { code: 'FORBIDDEN', detail: 'The service token is for reading only.' } },
    'nor may it change anything',
  );
  t.equal(
    (await call('GET', '/devices/category/intervals')).status,
    200,
    'a call that names no organisation',
  );
  t.match(await call('GET', '/session'), { status: 403 }, 'it is no person');
  t.match(await call('POST', '/logout', {}), { status: 403 });
  const other = await foundOrganization(world);
  t.equal((await call('GET', `/devices/${other.orgId}`)).status, 404, 'another organisation is unknown');

  const kept = await allKept(world);
  t.match(kept, token.id, 'what is kept was looked at');
  t.notMatch(kept, token.token.split('.')[2]!, 'the token is not kept');
  t.notMatch(JSON.stringify(await listed(admin)), /[0-9a-f]{64}/, 'nor is its hash shown');
  matchList(t, await notesOf(admin, 'CREATE_SERVICE_TOKEN'), [
    { by: admin.email, serviceToken: 'Report', role: 'REGULAR', readOnly: true },
  ]);
});

t.test('a program that may only read gets no API key of a device', async (t) => {
  const admin = await foundOrganization(world);
  const device = (await admin.call('POST', `/devices/${admin.orgId}`, DEVICE)).body;
  const path = `/devices/${admin.orgId}/${device.id}`;
  const own = (await admin.call('GET', path)).body;
  t.match(own.apiKey, /^sk1\./);
  const reader = program(world, await made(admin, { ...READER, role: 'ADMIN' }));
  t.strictSame((await reader('GET', path)).body, { ...own, apiKey: '' });
  t.match(await reader('GET', `/devices/config/${admin.orgId}/${device.id}`), {
    status: 403,
    body: { detail: 'A service token that is for reading only gets no API key of a device.' },
  });
  const writer = program(world, await made(admin, ADMIN));
  t.equal((await writer('GET', path)).body.apiKey, own.apiKey);
});

t.test('what a program changes is told with the name of its token', async (t) => {
  const admin = await foundOrganization(world);
  const call = program(world, await made(admin, ADMIN));
  t.match(await call('POST', `/devices/${admin.orgId}`, DEVICE), { status: 201 });
  const { body } = await admin.call('GET', `/events/${admin.orgId}?limit=500`);
  const created = (body.events as { type: string; note: string }[]).find(
    ({ type }) => type === 'CREATE_DEVICE',
  );
  t.match(created?.note, /Rollout \(service token\)/);
  t.match(
    await call('POST', `/service-tokens/${admin.orgId}`, ADMIN),
    { status: 403, body: { detail: 'A service token cannot make service tokens.' } },
    'a token cannot outlive itself',
  );
});

t.test('an alert that a program dismissed names the token', async (t) => {
  const { world, admin, orgId, deviceId, fileId, history, write } = await createPlace(t);
  history.baseline();
  const [alert] = history.breach().alerts;
  await write();
  const call = program(world, await made(admin, ADMIN));
  await verifyClaims(t, world.eventLog, history);
  const path = `/alerts/turnoff/${orgId}/${deviceId}/${fileId}/${alert!.id}`;
  const dismiss = { note: 'release 7', status: 'RESOLVED', occurrences: 1 };
  const done = await untilShown(() => call('PUT', path, dismiss));
  t.match(done, { status: 200, body: { overrideUserEmail: 'Rollout (service token)' } });
  const exported = await admin.call('GET', `/alerts/${orgId}?toExport=true`);
  t.match(JSON.stringify(exported.body), 'Rollout (service token)');
});

t.test('a token that was ended is refused at once, in every process', async (t) => {
  const admin = await foundOrganization(world);
  const token = await made(admin, READER);
  const here = program(world, token);
  const there = program({ call: await secondProcess(t, world, NO_LIMITS) }, token);
  const path = `/devices/${admin.orgId}`;
  t.same([(await here('GET', path)).status, (await there('GET', path)).status], [200, 200]);
  t.equal((await admin.call('DELETE', `/service-tokens/${admin.orgId}/${token.id}`)).status, 200);
  t.same([(await here('GET', path)).status, (await there('GET', path)).status], [401, 401]);
  t.equal((await admin.call('DELETE', `/service-tokens/${admin.orgId}/${token.id}`)).status, 200);
  matchList(t, await listed(admin), [{ state: 'ENDED' }]);
  matchList(t, await notesOf(admin, 'END_SERVICE_TOKEN'), [{ by: admin.email, serviceToken: 'Report' }]);

  const other = await foundOrganization(world);
  const theirs = await made(other, READER);
  t.equal((await admin.call('DELETE', `/service-tokens/${admin.orgId}/${theirs.id}`)).status, 404);
});

t.test('a token ends by its time: 90 days, a year at most', async (t) => {
  const admin = await foundOrganization(world);
  for (const expiresInDays of [0, LIMITS.serviceTokenDaysMax + 1, 1.5])
    t.match(await admin.call('POST', `/service-tokens/${admin.orgId}`, { ...READER, expiresInDays }), {
      status: 422,
    });
  const call = program(world, await made(admin, READER));
  world.clock.advance(LIMITS.serviceTokenDaysDefault * DAY_MS - 60_000);
  t.equal((await call('GET', `/devices/${admin.orgId}`)).status, 200);
  world.clock.advance(60_000);
  t.equal((await call('GET', `/devices/${admin.orgId}`)).status, 401);
  const later = { ...(await world.signIn(admin.email)), orgId: admin.orgId };
  matchList(t, await listed(later), [{ state: 'EXPIRED', ended: null }]);
});

t.test('the last use is shown with its address, at most a minute late', async (t) => {
  const admin = await foundOrganization(world);
  const token = await made(admin, READER);
  matchList(t, await listed(admin), [{ lastUse: null }]);
  const call = program(world, token);
  const uses = async (): Promise<unknown> => (await listed(admin))[0]!['lastUse'];
  const usedAt = async (at: number): Promise<void> => {
    while (((await uses()) as { at: string } | null)?.at !== new Date(at).toISOString())
      await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const first = world.clock.now();
  await call('GET', `/devices/${admin.orgId}`);
  await usedAt(first);
  world.clock.advance(SERVICE_TOKEN_LIMITS.useEveryMs - 1);
  await call('GET', `/devices/${admin.orgId}`);
  t.match(await uses(), { at: new Date(first).toISOString(), address: /^(127\.0\.0\.1|::1)/ });
  world.clock.advance(1);
  const last = world.clock.now();
  await call('GET', `/devices/${admin.orgId}`);
  await usedAt(last);
});

t.test('wrong tokens are refused, whatever is wrong with them', async (t) => {
  const admin = await foundOrganization(world);
  const { token, id } = await made(admin, READER);
  const path = `/devices/${admin.orgId}`;
  const last = token.endsWith('A') ? 'Q' : 'A';
  const unknown = '019aa5f0-7c00-7a10-8000-00000000ffff';
  const wrong = [
    `Bearer ${token.slice(0, -1)}${last}`,
    `Bearer ${token}x`,
    `Bearer ${token.replace(id, unknown)}`,
    `Bearer ${token.replace('sst1', 'enr1')}`,
    `Bearer ${token} ${token}`,
    `Basic ${Buffer.from(`x:${token}`).toString('base64')}`,
    token,
    'Bearer',
    '',
  ];
  for (const authorization of wrong)
    t.equal((await world.call('GET', path, undefined, { authorization })).status, 401, authorization);
  t.equal((await world.call('GET', `${path}?access_token=${token}`)).status, 401, 'never from the URL');
  t.equal((await world.call('GET', path, undefined, { authorization: `bearer ${token}` })).status, 200);
});

t.test('an organisation has a bounded number of tokens', async (t) => {
  const admin = await foundOrganization(world);
  const all = await Promise.all(
    Array.from({ length: LIMITS.serviceTokensPerOrganization }, () => made(admin, READER)),
  );
  const one = await admin.call('POST', `/service-tokens/${admin.orgId}`, READER);
  t.match(one, { status: 409, body: { code: 'LIMIT_REACHED' } });
  await admin.call('DELETE', `/service-tokens/${admin.orgId}/${all[0]!.id}`);
  t.equal((await admin.call('POST', `/service-tokens/${admin.orgId}`, READER)).status, 201);
});

t.test('calls of a token are counted by themselves', async (t) => {
  const world = await createWorld(t, { SENTINEL_LIMIT_TOKEN_CALLS: '3' });
  const admin = await world.organization('Acme', 'ada@example.org');
  const [one, two] = [await made(admin, READER), await made(admin, READER)];
  const path = `/devices/${admin.orgId}`;
  const statuses = [];
  for (let call = 0; call < 4; call += 1) statuses.push((await program(world, one)('GET', path)).status);
  t.same(statuses, [200, 200, 200, 429]);
  t.equal((await program(world, two)('GET', path)).status, 200);
  t.equal((await admin.call('GET', path)).status, 200);
});

t.test('a token that is valid is listed, however many newer ones have ended', async (t) => {
  const admin = await foundOrganization(world);
  const { id } = await made(admin, ADMIN);
  const view = (await world.store.get(VIEWS.serviceTokens, id))!;
  const at = world.clock.now() + 1_000;
  const ended = Array.from({ length: LIMITS.pageItems }, (_, n) => ({
    ...view,
    id: uuidV7(at + n, new Uint8Array(10)),
    isEnded: true,
    endedAt: at + n,
  }));
  await world.store.insertMissing(VIEWS.serviceTokens, ended);
  const found = await listed(admin);
  t.equal(found.length, LIMITS.pageItems);
  t.equal(found[0]?.['id'], ended.at(-1)?.id, 'newest first');
  t.match(found.at(-1), { id, state: 'VALID' }, 'who could end it otherwise?');
});
