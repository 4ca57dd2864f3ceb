import t from 'tap';
import { OverloadedError } from '@sentinel-node/platform';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import { INGESTION_LIMITS } from '../src/limits.ts';
import { DeviceCache, type DeviceVersion } from '../src/device-cache.ts';
import { deviceEntity, fileEntity, newId } from './support.ts';

type Load = (id: string) => Promise<DeviceVersion | undefined>;

/** Returns reads that end when the test ends them. */
function reads() {
  const waiting: { id: string; end: (found: DeviceVersion | undefined) => void }[] = [];
  const load: Load = (id) => new Promise((end) => waiting.push({ id, end }));
  return { waiting, load };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));
const cacheOf = (load: Load, limits: object = {}) =>
  new DeviceCache({ load, clock: new ManualClock(), limits: { ...INGESTION_LIMITS, ...limits } });
const version = (id: string, version: number): DeviceVersion => ({ version, entity: deviceEntity({ id }) });

t.test('one read of a device at a time, and nobody gets one that began before they asked', async (t) => {
  const { waiting, load } = reads();
  const cache = cacheOf(load);
  const id = newId();
  const first = cache.fresh(id, 'an organisation');
  const others = Array.from({ length: 100 }, () => cache.fresh(id, 'an organisation'));
  await turn();
  t.equal(waiting.length, 1);
  waiting[0]!.end(version(id, 1));
  t.equal((await first)!.version, 1);
  await turn();
  t.equal(waiting.length, 2, 'the crowd shares the next');
  waiting[1]!.end(version(id, 2));
  for (const found of await Promise.all(others)) t.equal(found!.version, 2);
  t.equal(waiting.length, 2);
});

t.test('a read that fails is not the answer of those who came after it', async (t) => {
  const id = newId();
  let calls = 0;
  const cache = cacheOf(async () => {
    calls += 1;
    if (calls === 1) throw new Error('away');
    return version(id, 1);
  });
  const [first, second] = await Promise.allSettled([
    cache.fresh(id, 'an organisation'),
    cache.fresh(id, 'an organisation'),
  ]);
  t.equal(first.status, 'rejected');
  t.equal(second.status, 'fulfilled');
});

t.test('news that overtake a read win', async (t) => {
  const { waiting, load } = reads();
  const cache = cacheOf(load);
  const id = newId();
  const read = cache.fresh(id, 'an organisation');
  await turn();
  cache.update(deviceEntity({ id, name: 'new' }), 2);
  waiting[0]!.end(version(id, 1));
  t.equal((await read)!.version, 2);
  t.equal(cache.cached(id)!.entity.name, 'new');
});

t.test('a read that began before the cache was emptied is answered and not kept', async (t) => {
  const { waiting, load } = reads();
  const cache = cacheOf(load);
  const id = newId();
  const read = cache.fresh(id, 'an organisation');
  await turn();
  cache.clear();
  waiting[0]!.end(version(id, 1));
  t.equal((await read)!.version, 1);
  t.equal(cache.size, 0);
});

t.test('reads are bounded, and no organisation takes all the places to wait', async (t) => {
  const { waiting, load } = reads();
  const cache = cacheOf(load, { storeReads: 2, storeReadsWaiting: 8 });
  const ask = (orgId: string) => cache.fresh(newId(), orgId);
  const running = [ask('a'), ask('a')];
  const crowd = Array.from({ length: 4 }, () => ask('a'));
  await t.rejects(ask('a'), OverloadedError, 'it holds as many as are free');
  const others = [ask('b'), ask('b'), ask('c')];
  await t.rejects(ask('a'), OverloadedError);
  t.equal(waiting.length, 2);
  for (let at = 0; at < 9; at += 1) {
    waiting[at]!.end(undefined);
    await turn();
  }
  t.equal((await Promise.all([...running, ...crowd, ...others])).length, 9);
  const again = ask('a');
  await turn();
  waiting.at(-1)!.end(undefined);
  t.equal(await again, undefined, 'places are given back');
});

t.test('what is kept is bounded by devices and by files, the least used first out', async (t) => {
  const files = (count: number) => Array.from({ length: count }, () => fileEntity());
  const cache = cacheOf(async (id) => ({ version: 1, entity: deviceEntity({ id, files: files(2) }) }), {
    cachedDevices: 3,
    cachedFiles: 7,
  });
  const ids = Array.from({ length: 4 }, newId);
  for (const id of ids.slice(0, 3)) await cache.fresh(id, 'an organisation');
  t.ok(cache.cached(ids[0]!));
  await cache.fresh(ids[3]!, 'an organisation');
  t.equal(cache.size, 3);
  t.notOk(cache.cached(ids[1]!));
  t.ok(cache.cached(ids[0]!));
  cache.update(deviceEntity({ id: ids[0]!, files: files(6) }), 2);
  t.equal(cache.size, 1);
  t.ok(cache.cached(ids[0]!));
  cache.update(deviceEntity({ id: newId() }), 1);
  t.equal(cache.size, 1, 'nothing is kept of a device that nobody asked for');
});
