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
const ORG = newId();
const version = (id: string, version: number): DeviceVersion => ({
  version,
  entity: deviceEntity({ id, orgId: ORG }),
});

t.test('one read of a device at a time, and nobody gets one that began before they asked', async (t) => {
  const { waiting, load } = reads();
  const cache = cacheOf(load);
  const id = newId();
  const first = cache.fresh(id, ORG);
  const others = Array.from({ length: 100 }, () => cache.fresh(id, ORG));
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
  const [first, second] = await Promise.allSettled([cache.fresh(id, ORG), cache.fresh(id, ORG)]);
  t.equal(first.status, 'rejected');
  t.equal(second.status, 'fulfilled');
});

t.test('news that overtake a read win', async (t) => {
  const { waiting, load } = reads();
  const cache = cacheOf(load);
  const id = newId();
  const read = cache.fresh(id, ORG);
  await turn();
  cache.update(deviceEntity({ id, orgId: ORG, name: 'new' }), 2);
  waiting[0]!.end(version(id, 1));
  t.equal((await read)!.version, 2);
  t.equal(cache.cached(id)!.entity.name, 'new');
});

t.test('a read that began before the cache was emptied is answered and not kept', async (t) => {
  const { waiting, load } = reads();
  const cache = cacheOf(load);
  const id = newId();
  const read = cache.fresh(id, ORG);
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

t.test('a read waits for one of each other organisation, not for all that came before', async (t) => {
  const { waiting, load } = reads();
  const cache = cacheOf(load, { storeReads: 1, storeReadsWaiting: 100 });
  const asked = new Map<string, string>();
  const all: Promise<unknown>[] = [];
  const ask = (orgId: string): void => {
    const id = newId();
    asked.set(id, orgId);
    all.push(cache.fresh(id, orgId));
  };
  for (const orgId of ['loud', 'loud', 'loud', 'loud', 'quiet', 'loud', 'small', 'quiet']) ask(orgId);
  t.equal(cache.waitingReads, 7);
  for (let at = 0; at < asked.size; at += 1) {
    waiting[at]!.end(undefined);
    await turn();
  }
  await Promise.all(all);
  t.strictSame(
    waiting.map(({ id }) => asked.get(id)),
    ['loud', 'loud', 'quiet', 'small', 'loud', 'quiet', 'loud', 'loud'],
  );
  t.equal(cache.waitingReads, 0);
});

t.test(
  'a call in the name of another organisation holds up no read of a device, and nothing is kept of it',
  async (t) => {
    const { waiting, load } = reads();
    const cache = cacheOf(load, { storeReads: 1, storeReadsWaiting: 100 });
    const id = newId();
    const before = [cache.fresh(newId(), 'loud'), cache.fresh(newId(), 'loud'), cache.fresh(newId(), 'loud')];
    const claimed = cache.fresh(id, 'loud');
    const own = cache.fresh(id, ORG);
    for (let at = 0; at < 2; at += 1) {
      waiting[at]!.end(undefined);
      await turn();
    }
    t.equal(waiting[2]!.id, id, 'in the turn of its organisation');
    waiting[2]!.end(version(id, 1));
    t.equal((await own)!.version, 1);
    t.ok(cache.cached(id));
    cache.clear();
    for (let at = 3; at < 5; at += 1) {
      await turn();
      waiting[at]!.end(version(id, 1));
    }
    await Promise.all(before);
    t.equal((await claimed)!.version, 1, 'its caller is refused by the key');
    t.notOk(cache.cached(id));
  },
);

t.test('what is kept is bounded by devices and by files', async (t) => {
  const files = (count: number) => Array.from({ length: count }, () => fileEntity());
  const load: Load = async (id) => ({
    version: 1,
    entity: deviceEntity({ id, orgId: ORG, files: files(2) }),
  });
  const cache = cacheOf(load, { cachedDevices: 3, cachedFiles: 7 });
  const ids = Array.from({ length: 4 }, newId);
  for (const id of ids.slice(0, 3)) await cache.fresh(id, ORG);
  t.ok(cache.cached(ids[0]!));
  await cache.fresh(ids[3]!, ORG);
  t.equal(cache.size, 3);
  t.notOk(cache.cached(ids[2]!), 'the newest gives way while all are valid');
  t.ok(cache.cached(ids[0]!));
  cache.update(deviceEntity({ id: ids[0]!, orgId: ORG, files: files(6) }), 2);
  t.equal(cache.size, 1);
  t.ok(cache.cached(ids[0]!));
  cache.update(deviceEntity({ id: newId() }), 1);
  t.equal(cache.size, 1, 'nothing is kept of a device that nobody asked for');
});

t.test(
  'given an organisation with more full devices than there is room for, then most are found, and those of others',
  async (t) => {
    const clock = new ManualClock();
    let read = 0;
    const orgOf = new Map<string, string>();
    const full = Array.from({ length: 10 }, () => fileEntity());
    const load: Load = async (id) => {
      read += 1;
      return { version: 1, entity: deviceEntity({ id, orgId: orgOf.get(id)!, files: full }) };
    };
    const limits = { ...INGESTION_LIMITS, cachedFiles: 250 };
    const cache = new DeviceCache({ load, clock, limits });
    const asks = async (ids: readonly string[]): Promise<number> => {
      read = 0;
      for (const id of ids) if (cache.cached(id) === undefined) await cache.fresh(id, orgOf.get(id)!);
      return read;
    };
    const idsOf = (orgId: string, count: number): string[] => {
      const ids = Array.from({ length: count }, newId);
      for (const id of ids) orgOf.set(id, orgId);
      return ids;
    };
    const loud = idsOf(newId(), 30);
    const quiet = idsOf(newId(), 5);
    await asks(quiet);
    await asks(loud);
    t.equal(await asks(quiet), 0, 'the other organisation lost nothing');
    t.equal(cache.size, 25);
    for (let round = 0; round < 3; round++) {
      const missed = await asks(loud);
      t.ok(missed <= 11, `${missed} of 30 read again, with room for 20`);
    }
    clock.advance(limits.cacheMs);
    await asks(loud);
    t.ok((await asks(loud)) <= 11, 'also of those that were read again');
  },
);
