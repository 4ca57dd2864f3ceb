/** A contradiction is not forgotten: it ends only when its batch was compared again and fits. */
import { NotDurableError, silentLog, type DocumentStore, type Random } from '@sentinel-node/platform';
import { SeededRandom } from '@sentinel-node/test-kit/fakes';
import { matchList } from '@sentinel-node/test-kit/matching';
import t, { type Test } from 'tap';
import { batchId, OWN_COLLECTIONS } from '../src/collections.ts';
import { Contradictions } from '../src/comparison/contradictions.ts';
import { COMPARED } from '../src/domain/chosen-batches.ts';
import { ANCHORING_LIMITS } from '../src/limits.ts';
import { Standing } from '../src/standing/standing.ts';
import { alterCut, anchored, started } from './anchored.ts';
import { contradictionsOn, counts, told } from './contradiction-suite.ts';
import { fileId, openWorld, type World } from './support.ts';

t.setTimeout(600_000);
const { contradictions } = OWN_COLLECTIONS;

contradictionsOn(t);

/** More batches than a start compares: the newest, the chosen ones, and three that no start has to look at. */
const MANY = COMPARED.newest + COMPARED.random + 3;
const OLDER = MANY - COMPARED.newest;
const ALTERED = 7;
const BYTES = 6;

/** Returns randomness by which a start chooses the older batches in turn, except one. */
function missing(missed: number): Random {
  const seeded = new SeededRandom(7);
  let next = 0;
  return {
    bytes: (length) => {
      if (length !== BYTES) return seeded.bytes(length);
      const batch = next++ % OLDER;
      let rest = ((batch === missed ? batch + 1 : batch) + 0.5) / OLDER;
      return Uint8Array.from({ length }, () => {
        rest *= 256;
        const byte = Math.floor(rest);
        rest -= byte;
        return byte;
      });
    },
  };
}

async function manyAnchored(t: Test): Promise<World> {
  const world = await openWorld();
  t.teardown(() => world.close());
  const { cutter, anchorer } = await world.anchoring();
  for (let from = 0; from < MANY; from++) {
    await world.deliver({ file: fileId(1), from, count: 1, acceptedAt: world.clock.now() });
    world.clock.advance(31_000);
    await cutter.step();
  }
  await anchorer.step();
  t.same(await counts(world), [MANY, MANY]);
  return world;
}

t.test('a batch that no start has to look at is compared at each start once it was found', async (t) => {
  const world = await manyAnchored(t);
  const random = () => ({ random: missing(ALTERED) });
  const mend = await alterCut(world, ALTERED);
  const lucky = await started(world, undefined, random());
  t.equal(await lucky.gauge(), '-1', 'a start may miss it');
  await lucky.end();
  const finding = await started(world, undefined, { random: missing(0) });
  t.equal(await finding.gauge(), String(ALTERED));
  await finding.end();
  for (let starts = 0; starts < 2; starts++) {
    const again = await started(world, undefined, random());
    t.same(again.service.notReady(), ['anchoring']);
    t.equal(await again.gauge(), String(ALTERED));
    await world.deliver({ file: fileId(2 + starts), from: 0, count: 1, acceptedAt: world.clock.now() });
    world.clock.advance(120_000);
    await again.turn();
    t.same(await counts(world), [MANY, MANY]);
    await again.end();
  }
  const stop = [`evidence/wrong/${ALTERED}`, `anchoring/wrong/${ALTERED}`];
  t.same(await told(world), stop);
  await mend();
  const fitting = await started(world, undefined, random());
  t.same(fitting.service.notReady(), []);
  t.equal(await fitting.gauge(), '-1');
  await fitting.turn();
  world.clock.advance(ANCHORING_LIMITS.standingMs);
  await fitting.turn();
  t.same(await told(world), [...stop, 'anchoring/right/-']);
  await fitting.end();

  const other = ALTERED + 1;
  await alterCut(world, other);
  await new Standing({ ...world, log: silentLog() }).evidenceFailed(other);
  const gaugeOfStart = async () => {
    const { gauge, end } = await started(world, undefined, { random: missing(other) });
    const shown = await gauge();
    await end();
    return shown;
  };
  t.equal(await gaugeOfStart(), String(other), 'as is one that an audit told of');
  const mendEarlier = await alterCut(world, ALTERED);
  t.equal(await gaugeOfStart(), String(ALTERED));
  await mendEarlier();
  t.equal(await gaugeOfStart(), String(other), 'of two, each has to fit');
});

t.test('an audit that told of a batch beyond the log stops nothing', async (t) => {
  const world = await anchored(t);
  await new Standing({ ...world, log: silentLog() }).evidenceFailed(1_000);
  const going = await started(world);
  t.equal(await going.gauge(), '-1');
  await going.end();
});

t.test('what was found again meanwhile is not ended', async (t) => {
  const world = await anchored(t);
  const one = new Contradictions(world);
  await one.found({ batch: 3, what: 'x' });
  const read = await one.open();
  await one.found({ batch: 3, what: 'y' });
  await one.end(read);
  matchList(t, await one.open(), [{ batch: 3, what: 'y', rev: 2 }]);
  await one.end(await one.open());
  t.same(await one.open(), []);
  const ended = await world.store.get(contradictions.name, batchId(3));
  t.equal(ended?.what, 'y', 'what was found is kept');
});

t.test('a store that takes nothing does not let anchoring go on, and gets it later', async (t) => {
  const world = await anchored(t);
  await alterCut(world, 1);
  let isFull = true;
  const store: DocumentStore = new Proxy(world.store, {
    get: (target, name: keyof DocumentStore) => {
      const value = target[name] as (...given: unknown[]) => unknown;
      return (...given: unknown[]) =>
        isFull && given[0] === contradictions.name && name === 'insertUnique'
          ? Promise.reject(new NotDurableError('full'))
          : value.call(target, ...given);
    },
  });
  const finding = await started({ ...world, store });
  t.equal(await finding.gauge(), '1');
  const kept = () => world.store.find(contradictions.name, { limit: 10 });
  t.same(await kept(), []);
  isFull = false;
  await finding.turn();
  matchList(t, await kept(), [{ batch: 1, open: 1 }]);
  await finding.end();
});

t.test('a running process reads the store once in a while only', async (t) => {
  const world = await anchored(t);
  let reads = 0;
  const store: DocumentStore = new Proxy(world.store, {
    get: (target, name: keyof DocumentStore) => {
      const value = target[name] as (...given: unknown[]) => unknown;
      return (...given: unknown[]) => {
        if (given[0] === contradictions.name) reads++;
        return value.call(target, ...given);
      };
    },
  });
  const running = await started({ ...world, store });
  await running.turn();
  reads = 0;
  for (let ms = 0; ms < 6 * ANCHORING_LIMITS.contradictionLookMs; ms += ANCHORING_LIMITS.tickMs) {
    world.clock.advance(ANCHORING_LIMITS.tickMs);
    await running.turn();
  }
  t.equal(reads, 6);
  await running.end();
});
