import t from 'tap';
import { TOPICS } from '@sentinel-node/contracts';
import { NotDurableError, type EventLog, type RecordBatch } from '@sentinel-node/platform';
import { INGESTION_LIMITS } from '../src/limits.ts';
import { fileEntity, report, startWorld, until, type World, type WorldOptions } from './support.ts';

const { freshForMs } = INGESTION_LIMITS;

/** Returns a log that can hold back registry records and hide its ends. */
function troubledLog() {
  const state = { muted: false, unreachable: false, held: [] as (() => void)[] };
  const wrapLog = (log: EventLog): EventLog =>
    new Proxy(log, {
      get: (target, name) => {
        if (name === 'tail')
          return (topic: string, from: never, onBatch: (batch: RecordBatch) => void) =>
            target.tail(topic, from, (batch) => {
              const deliver = () => onBatch(batch);
              if (state.muted) state.held.push(deliver);
              else deliver();
            });
        if (name === 'bounds' && state.unreachable)
          return () => Promise.reject(new NotDurableError('no broker answers'));
        const value = Reflect.get(target, name) as unknown;
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  const unmute = () => {
    state.muted = false;
    for (const deliver of state.held.splice(0)) deliver();
  };
  return { state, wrapLog, unmute };
}

/** Counts the reads of a device from the store. */
async function watched(t: Parameters<typeof startWorld>[0], options: WorldOptions = {}) {
  const world = await startWorld(t, options);
  const counts = { reads: 0 };
  const find = world.store.find.bind(world.store);
  world.store.find = (collection, query) => {
    if (query.where !== undefined && 'stream' in query.where) counts.reads += 1;
    return find(collection, query);
  };
  return { world, counts };
}
const status = async (world: World, key?: string): Promise<number> =>
  (await world.send(report(), key === undefined ? {} : { key })).statusCode;
const revoke = async (world: World, options: object = {}): Promise<string> => {
  const old = world.key();
  await world.change({ keyVersion: 2 }, options);
  return old;
};

t.test('while all news are known to be heard, reports cost no read of the store', async (t) => {
  const { world, counts } = await watched(t);
  await status(world);
  counts.reads = 0;
  for (let second = 0; second < 20; second += 1) {
    world.clock.advance(1_000);
    await world.tick();
    t.equal(await status(world), 202);
  }
  t.equal(counts.reads, 0);
});

t.test(
  'a key revoked unheard is refused 5 s after the last proof; hearing again trusts what is kept',
  async (t) => {
    const { state, wrapLog, unmute } = troubledLog();
    const { world, counts } = await watched(t, { wrapLog });
    t.equal(await status(world), 202);
    state.muted = true;
    const old = await revoke(world);
    t.equal(await status(world, old), 202, 'nobody told this process yet');
    // Each of these waits for changes that it knows to be missing.
    const waiting = [world.tick()];
    world.clock.advance(freshForMs - 1);
    t.equal(await status(world, old), 202);
    world.clock.advance(1);
    t.equal(await status(world, old), 401);
    counts.reads = 0;
    t.equal(await status(world), 202, 'the new key is taken');
    t.ok(counts.reads > 0, 'from the store');
    unmute();
    await Promise.all(waiting);
    await world.tick();
    t.equal(await status(world, old), 401);
    t.equal(await status(world), 202);
    counts.reads = 0;
    t.equal(await status(world), 202);
    t.equal(counts.reads, 0, 'from what is kept');
  },
);

t.test('a device disabled while no broker answers is refused within 5 s', async (t) => {
  const { state, wrapLog } = troubledLog();
  const { world } = await watched(t, { wrapLog });
  t.equal(await status(world), 202);
  state.muted = true;
  state.unreachable = true;
  await world.change({ enabled: false });
  for (let second = 1; second < freshForMs / 1_000; second += 1) {
    world.clock.advance(1_000);
    await world.tick();
    t.equal(await status(world), 202);
  }
  world.clock.advance(1_000);
  await world.tick();
  t.equal(await status(world), 409);
});

t.test('a revocation that its writer could not publish is learned from the store', async (t) => {
  const { world, counts } = await watched(t);
  await status(world);
  const old = await revoke(world, { published: false });
  counts.reads = 0;
  t.equal(await status(world, old), 202);
  t.equal(counts.reads, 0);
  world.clock.advance(1_000);
  await world.tick();
  t.equal(await status(world, old), 401);
});

t.test('with more unpublished commits than are read at once nothing is proven', async (t) => {
  const { world, counts } = await watched(t, { deps: { limits: { unpublishedCommits: 2 } } });
  await status(world);
  const old = await revoke(world, { published: false });
  await world.change({ files: [...world.device.files, fileEntity({ path: 'b' })] }, { published: false });
  world.clock.advance(freshForMs);
  await world.tick();
  counts.reads = 0;
  t.equal(await status(world, old), 401);
  t.equal(await status(world), 202);
  t.ok(counts.reads > 0);
});

t.test('unheard and without a store nothing is taken', async (t) => {
  const { state, wrapLog } = troubledLog();
  const { world } = await watched(t, { wrapLog });
  await status(world);
  state.muted = true;
  state.unreachable = true;
  world.store.find = () => Promise.reject(new NotDurableError('no answer'));
  world.clock.advance(freshForMs);
  const answer = await world.send(report());
  t.equal(answer.statusCode, 503);
  t.match(answer.headers['retry-after'], /^[1-9]/);
});

t.test('a clock that went back proves nothing', async (t) => {
  const { world, counts } = await watched(t);
  await status(world);
  world.clock.advance(-1);
  counts.reads = 0;
  t.equal(await status(world), 202);
  t.ok(counts.reads > 0);
});

t.test('following that ended begins anew', async (t) => {
  const { state, wrapLog } = troubledLog();
  let break_: ((error: Error) => void) | undefined;
  const broken = (log: EventLog): EventLog => {
    const wrapped = wrapLog(log);
    return new Proxy(wrapped, {
      get: (target, name) => {
        if (name !== 'tail') return Reflect.get(target, name) as unknown;
        return async (...args: Parameters<EventLog['tail']>) => {
          const subscription = await target.tail(...args);
          if (args[0] !== TOPICS.registry || break_ !== undefined) return subscription;
          const failed = new Promise<never>((_, reject) => (break_ = reject));
          return { stop: () => subscription.stop(), isFollowing: () => true, failed };
        };
      },
    });
  };
  const { world, counts } = await watched(t, { wrapLog: broken });
  await status(world);
  break_!(new Error('the topic is gone'));
  await until(async () => {
    counts.reads = 0;
    await status(world);
    return counts.reads > 0;
  });
  state.muted = false;
  await world.tick();
  await status(world);
  counts.reads = 0;
  t.equal(await status(world), 202);
  t.equal(counts.reads, 0);
  await world.change({ enabled: false });
  await until(async () => (await status(world)) === 409);
  t.ok((await world.raw(TOPICS.registry)).length > 0);
});
