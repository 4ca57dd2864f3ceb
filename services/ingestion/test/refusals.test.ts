import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { deviceEntity } from './entities.ts';
import { newId, report, startWorld, type World } from './support.ts';

/** Counts reads of devices. */
function watch(world: World): { reads: number } {
  const counts = { reads: 0 };
  const find = world.store.find.bind(world.store);
  world.store.find = (collection, query) => {
    if (query.where !== undefined && 'stream' in query.where) counts.reads += 1;
    return find(collection, query);
  };
  return counts;
}

t.test(
  'an address that guesses keys is told to wait, costs no reads, and harms nobody beside it',
  async (t) => {
    const world = await startWorld(t, { env: { SENTINEL_LIMIT_USER_CALLS: '3' } });
    const guess = () =>
      world.post(world.path().replace(world.device.id, newId()), report(), { key: 'sk1.guess' });
    for (let n = 0; n < 3; n++) t.equal((await guess()).statusCode, 401);
    const counts = watch(world);
    const refused = await guess();
    t.equal(refused.statusCode, 429);
    t.equal(refused.json().code, 'RATE_LIMITED');
    matchWhole(t, refused.headers, {
      'ratelimit-limit': '3',
      'ratelimit-remaining': '0',
      'retry-after': '20',
    });
    t.equal((await world.bulk('{}', { key: 'no' })).statusCode, 429);
    t.equal((await world.health({}, { key: 'no' })).statusCode, 429);
    t.equal((await world.configuration({ 'x-api-key': 'no' })).statusCode, 429);
    t.equal(counts.reads, 0);
    t.equal((await world.send(report())).statusCode, 202, 'a device that is not kept yet');
    t.equal(counts.reads, 1);
    const replaced = { keyVersion: 2, previousKey: null };
    const old = world.key();
    await world.change(replaced);
    t.equal((await world.health({}, { key: old })).statusCode, 401, 'an agent that is shut out learns it');
    t.equal((await world.health({})).statusCode, 422, 'its new key');
    const { device } = world;
    world.device = { ...device, id: newId() };
    t.equal((await world.health({})).statusCode, 429, 'a good key of a device that was never there');
    world.device = device;
    world.clock.advance(20_000);
    t.equal((await guess()).statusCode, 401);
  },
);

t.test('a key that was replaced often is served beside an address that guesses keys', async (t) => {
  const world = await startWorld(t, { env: { SENTINEL_LIMIT_USER_CALLS: '3' }, device: { keyVersion: 40 } });
  t.equal((await world.send(report())).statusCode, 202);
  const guess = () =>
    world.post(world.path().replace(world.device.id, newId()), report(), { key: 'sk1.guess' });
  for (let n = 0; n < 3; n++) t.equal((await guess()).statusCode, 401);
  t.equal((await guess()).statusCode, 429);
  for (const keyVersion of [40, 41, 42]) {
    await world.change({ keyVersion }, { published: false });
    t.equal((await world.configuration()).statusCode, 200, `version ${keyVersion}, read from the store`);
  }
  t.equal((await world.configuration({ 'x-api-key': world.key(world.device, 8) })).statusCode, 429);
  world.device = { ...world.device, id: newId() };
  t.equal((await world.configuration()).statusCode, 429, 'of a device that never called');
});

t.test(
  'given many agents with ended keys at one address, then each learns it, and not as often as it asks',
  async (t) => {
    const limits = { deviceCallsPerMinute: 2 };
    const world = await startWorld(t, { env: { SENTINEL_LIMIT_USER_CALLS: '1' }, deps: { limits } });
    const { device } = world;
    const old = world.key();
    t.equal((await world.health({}, { key: 'no' })).statusCode, 401);
    t.equal((await world.health({}, { key: 'no' })).statusCode, 429);
    for (let n = 0; n < 3; n++) {
      await world.save(deviceEntity());
      const ended = world.key();
      await world.change({ keyVersion: 2, previousKey: null });
      t.equal((await world.configuration({ 'x-api-key': ended })).statusCode, 401);
    }
    world.device = device;
    await world.change({ deleted: true });
    for (let n = 0; n < 2; n++)
      t.equal((await world.health({}, { key: old })).statusCode, 401, 'a deleted device');
    t.equal((await world.health({}, { key: old })).statusCode, 429);
  },
);
