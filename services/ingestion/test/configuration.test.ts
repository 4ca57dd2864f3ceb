import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { AgentConfigurationSchema } from '@sentinel-node/contracts';
import { ApiError, compileChecker, STREAMS_COLLECTION, type DocumentStore } from '@sentinel-node/platform';
import { fileEntity, newId, startWorld } from './support.ts';

const configurations = compileChecker(AgentConfigurationSchema);

t.test('the configuration of an agent, for its key', async (t) => {
  const probe = fileEntity({ monitoringFrequency: 'PROBE', interval: 5, type: 'BINARY', path: 'bin/x' });
  const rolled = fileEntity({ rolled: true, rolledFilenameRegexp: 'app\\.log\\.\\d+', path: 'app.log' });
  const off = fileEntity({ enabled: false, path: 'off' });
  const env = { SENTINEL_PUBLIC_URL: 'https://sentinel.example' };
  const world = await startWorld(t, { env, device: { files: [probe, rolled, off], configVersion: 9 } });
  const headers = { 'x-api-key': world.key(), host: 'sentinel.example' };
  const answer = await world.configuration(headers);
  t.equal(answer.statusCode, 200);
  t.equal(answer.headers['etag'], '"9"');
  t.equal(answer.headers['cache-control'], 'no-store');
  t.ok(configurations.check(answer.json()));
  matchWhole(t, answer.json(), {
    orgId: world.device.orgId,
    devId: world.device.id,
    apiKey: world.key(),
    healthInterval: 60,
    workingDirectory: '/var',
    sentinelAddress: 'https://sentinel.example/api/v1',
    clearOrphanedProcesses: true,
    files: [
      { id: probe.id, path: 'bin/x', type: 'PROBE', interval: 5, rolled: false, data: 'binary' },
      { id: rolled.id, type: 'FOLLOW', rolled: true, rolledfilenameregexp: 'app\\.log\\.\\d+', data: 'text' },
    ],
  });
  t.equal(answer.json().files.length, 2);

  await world.change({ enabled: false }, { published: false });
  const disabled = await world.configuration(headers);
  t.equal(disabled.headers['etag'], '"10"');
  t.same(disabled.json().files, []);
});

t.test(
  'names files whose attributes are watched to an agent that knows of it, and to no other',
  async (t) => {
    const files = [
      fileEntity({ modifiable: false, watchAttributes: true, path: 'a' }),
      fileEntity({ modifiable: false, path: 'b' }),
      fileEntity({ modifiable: true, watchAttributes: true, path: 'c' }),
    ];
    const world = await startWorld(t, { device: { files } });
    const headers = { 'x-api-key': world.key() };
    const asked = await world.configuration({ ...headers, prefer: 'attributes' });
    t.equal(asked.headers['preference-applied'], 'attributes');
    t.ok(configurations.check(asked.json()));
    const attributesOf = ({ files: of }: { files: { attributes?: true }[] }) =>
      of.map((one) => one.attributes);
    t.same(attributesOf(asked.json()), [true, undefined, undefined]);
    for (const prefer of [{}, { prefer: 'receipt' }] as Record<string, string>[]) {
      const answer = await world.configuration({ ...headers, ...prefer });
      t.notOk(
        JSON.stringify(answer.json()).includes('attributes'),
        'earlier agents refuse members that they do not know',
      );
      t.equal(answer.headers['preference-applied'], undefined);
    }
  },
);

t.test('shows the new key to who still has the old one', async (t) => {
  const world = await startWorld(t);
  const old = world.key();
  await world.change({ keyVersion: 2, previousKey: { version: 1, validUntil: world.clock.now() + 1_000 } });
  t.equal((await world.configuration({ 'x-api-key': old })).json().apiKey, world.key());
});

t.test('401 without a key, with a wrong one, and with a token where no members are known', async (t) => {
  const world = await startWorld(t);
  const tries: Record<string, string>[] = [{}, { 'x-api-key': 'sk1.no' }, { 'x-access-token': 'token' }];
  for (const headers of tries) t.equal((await world.configuration(headers)).statusCode, 401);
});

t.test('for a member of the organisation', async (t) => {
  let orgId: string | null = null;
  const world = await startWorld(t, {
    deps: {
      memberAuth: async (request) => {
        if (request.headers['x-access-token'] !== 'good') throw new ApiError('UNAUTHENTICATED');
        request.caller = { userId: 'u', email: 'e', name: 'n', orgId, role: 'REGULAR' };
      },
    },
  });
  const ask = (token: string) => world.configuration({ 'x-access-token': token });
  t.equal((await ask('bad')).json().code, 'UNAUTHENTICATED');
  t.equal((await ask('good')).statusCode, 404, 'no organisation');
  orgId = newId();
  t.equal((await ask('good')).statusCode, 404, 'another organisation');
  orgId = world.device.orgId;
  const answer = await ask('good');
  t.equal(answer.statusCode, 200);
  t.equal(answer.json().apiKey, world.key());
  await world.change({ deleted: true });
  t.equal((await ask('good')).statusCode, 404, 'a deleted device');
  t.equal((await world.configuration({})).json().code, 'INVALID_API_KEY');
});

t.test('a call of a device with many files counts for more, and one too many costs no read', async (t) => {
  const files = Array.from({ length: 250 }, (_, n) => fileEntity({ id: newId(), path: `${n}.log` }));
  let reads = 0;
  const wrapStore = (store: DocumentStore): DocumentStore => {
    const find = store.find.bind(store);
    store.find = (collection, query) => {
      if (String(collection) === STREAMS_COLLECTION.name) reads += 1;
      return find(collection, query);
    };
    return store;
  };
  const deps = { limits: { deviceCallsPerMinute: 6 } };
  const world = await startWorld(t, { deps, wrapStore, device: { files } });
  await world.tick();
  const headers = { 'x-api-key': world.key() };
  for (let n = 0; n < 2; n += 1) t.equal((await world.configuration(headers)).statusCode, 200);
  reads = 0;
  for (const call of [() => world.configuration(headers), () => world.health({})]) {
    const refused = await call();
    t.match(refused, { statusCode: 429, headers: { 'retry-after': '30' } });
    t.equal(refused.json().code, 'RATE_LIMITED');
  }
  t.equal(reads, 0);
  t.equal(
    (await world.configuration({ 'x-api-key': 'sk1.no' })).statusCode,
    401,
    'its key is asked for first',
  );
  world.clock.advance(30_000);
  t.equal((await world.configuration(headers)).statusCode, 200, 'as told');
});

t.test('all devices of an organisation have a limit together', async (t) => {
  const deps = { limits: { organizationCallsPerSecond: 1, organizationCallsBurst: 3 } };
  const world = await startWorld(t, { deps });
  const first = world.device;
  const second = { ...first, id: newId(), files: [] };
  await world.save(second);
  for (const device of [first, second, first]) {
    world.device = device;
    t.equal((await world.configuration()).statusCode, 200);
  }
  world.device = second;
  const refused = await world.configuration();
  t.match(refused, { statusCode: 429, headers: { 'retry-after': '1' } });
  t.match(refused.json().detail, /organization/);
  await world.save({ ...second, id: newId(), orgId: newId() });
  t.equal((await world.configuration()).statusCode, 200, 'another organisation has its own');
});
