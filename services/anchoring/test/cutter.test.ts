import { decodeBatchHeader, fromHex, TOPICS, type AnchorRecord } from '@sentinel-node/contracts';
import type { Position } from '@sentinel-node/platform';
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { chainRecord, fileId, leavesOfCuts, openWorld, type Delivery } from './support.ts';

t.test('a cut is made when half of the shortest interval is over, not before', async (t) => {
  const world = await openWorld();
  t.teardown(() => world.close());
  const { cutter } = await world.anchoring();
  const acceptedAt = world.clock.now();
  await world.deliver(
    { file: fileId(1), from: 0, count: 2, acceptedAt, category: 'STANDARD' },
    { file: fileId(2), from: 0, count: 1, acceptedAt: acceptedAt + 5_000 },
  );
  world.clock.advance(34_999);
  await cutter.step();
  t.same(await world.cuts(), []);
  t.equal(cutter.waiting, 3);
  world.clock.advance(1);
  await cutter.step();
  const [cut] = await world.cuts();
  t.equal(cut?.cut.leafCount, 3, 'what waits for a later deadline comes along');
  t.equal(cut?.unpublished, undefined);
  await world.deliver({ file: fileId(1), from: 2, count: 1, acceptedAt, category: 'STANDARD' });
  world.clock.set(acceptedAt + 1_799_999);
  await cutter.step();
  t.equal((await world.cuts()).length, 1);
  world.clock.advance(1);
  await cutter.step();
  t.equal((await world.cuts()).length, 2);
});

const READINGS = ['before', 'after'] as const;
for (const reading of READINGS)
  t.test(`an entry of a clock that was ahead, read ${reading} it is set back, waits no longer`, async (t) => {
    const world = await openWorld();
    t.teardown(() => world.close());
    const { cutter } = await world.anchoring();
    const [now, ahead] = [world.clock.now(), world.clock.now() + 86_400_000];
    world.clock.set(ahead);
    await world.deliver({ file: fileId(1), from: 0, count: 1, acceptedAt: ahead });
    if (reading === 'before') await cutter.step();
    world.clock.set(now);
    await cutter.step();
    world.clock.advance(29_999);
    await cutter.step();
    t.same(await world.cuts(), []);
    world.clock.advance(1);
    await cutter.step();
    t.equal((await world.cuts()).length, 1);
  });

t.test('an end does not wait until everything is read; the next one goes on', async (t) => {
  const world = await openWorld();
  t.teardown(() => world.close());
  const { cutter } = await world.anchoring();
  await world.deliver({ file: fileId(1), from: 0, count: 3, acceptedAt: world.clock.now() });
  world.clock.advance(35_000);
  const stepping = cutter.step();
  cutter.end();
  await stepping;
  t.same(await world.cuts(), []);
  const next = await world.anchoring();
  await next.cutter.step();
  t.equal((await world.cuts())[0]?.cut.leafCount, 3);
});

t.test('the records are found again: topic, view, and position', async (t) => {
  const world = await openWorld();
  t.teardown(() => world.close());
  const { cutter } = await world.anchoring();
  const positions = [];
  for (let batch = 0; batch < 3; batch++) {
    const acceptedAt = world.clock.now();
    positions.push(...(await world.deliver({ file: fileId(1), from: batch, count: 1, acceptedAt })));
    t.notOk(covering(await world.anchors(), positions.at(-1)!), 'no batch before the cut');
    world.clock.advance(31_000);
    await cutter.step();
  }
  t.same(
    (await world.anchors()).map(({ batch, rev, transaction }) => [batch, rev, transaction]),
    [0, 1, 2].map((batch) => [batch, 1, null]),
  );
  for (const [batch, position] of positions.entries())
    t.equal(covering(await world.anchors(), position)?.batch, batch);
});

/** Returns the batch whose cut covers a record of the chain topic. */
function covering(
  anchors: readonly AnchorRecord[],
  { partition, offset }: Position,
): AnchorRecord | undefined {
  return anchors.find(({ cut }) =>
    cut.ranges.some((range) => range.partition === partition && range.from <= offset && offset < range.to),
  );
}

/**
 * Returns deliveries of one file: consecutive records, each perhaps followed by a redelivery from an earlier record.
 */
function deliveries(file: string, sizes: readonly number[], repeats: readonly number[]): Delivery[] {
  const records: Delivery[] = [];
  let from = 0;
  for (const count of sizes) {
    records.push({ file, from, count, acceptedAt: from * 1_000 });
    from += count;
  }
  return records.flatMap((record, i) => {
    const back = repeats[i % repeats.length]!;
    return back === 0 ? [record] : [record, ...records.slice(Math.max(0, i - back + 1), i + 1)];
  });
}

t.test('each entry is a leaf of one batch, however delivered, split, repeated or restarted', async (t) => {
  const shape = fc.record({
    files: fc.array(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 }), {
      minLength: 1,
      maxLength: 4,
    }),
    repeats: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 5 }),
    chunks: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 }),
    restarts: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
    batchLeaves: fc.integer({ min: 4, max: 9 }),
  });
  await fc.assert(
    fc.asyncProperty(shape, async ({ files, repeats, chunks, restarts, batchLeaves }) => {
      const world = await openWorld(batchLeaves);
      try {
        let { cutter } = await world.anchoring();
        const all = files.flatMap((sizes, i) => deliveries(fileId(i), sizes, repeats));
        for (let i = 0, round = 0; i < all.length; round++) {
          const size = chunks[round % chunks.length]!;
          await world.deliver(...all.slice(i, (i += size)));
          world.clock.advance(round % 2 === 0 ? 100_000 : 0);
          await cutter.step();
          if (restarts[round % restarts.length]) ({ cutter } = await world.anchoring());
        }
        world.clock.advance(100_000);
        await cutter.step();
        const leaves = (await leavesOfCuts(world)).flat();
        const wanted = files.flatMap((sizes, i) =>
          Array.from({ length: sizes.reduce((a, b) => a + b, 0) }, (_, n) => `${fileId(i)}/${n}`),
        );
        t.same(leaves.toSorted(), wanted.toSorted());
        const headers = (await world.cuts()).map(({ cut }) => decodeBatchHeader(fromHex(cut.header))!);
        t.equal(headers.at(-1)!.totalLeaves, wanted.length);
        t.ok(headers.every(({ leafCount }) => leafCount > 0 && leafCount <= batchLeaves));
      } finally {
        await world.close();
      }
    }),
    { numRuns: 8 },
  );
});

t.test('of two processes one makes the cut, and the other goes on from it', async (t) => {
  const world = await openWorld();
  t.teardown(() => world.close());
  const one = await world.anchoring();
  const two = await world.anchoring();
  for (let batch = 0; batch < 3; batch++) {
    await world.deliver({ file: fileId(1), from: 2 * batch, count: 2, acceptedAt: world.clock.now() });
    world.clock.advance(31_000);
    await Promise.all([one.cutter.step(), two.cutter.step()]);
  }
  world.clock.advance(31_000);
  await one.cutter.step();
  await two.cutter.step();
  t.same(
    (await world.cuts()).map(({ cut }) => cut.leafCount),
    [2, 2, 2],
  );
});

t.test('what is no chain record, or leaves a number out, stops anchoring with words', async (t) => {
  const world = await openWorld();
  t.teardown(() => world.close());
  const { cutter } = await world.anchoring();
  await world.deliver({ file: fileId(1), from: 1, count: 1, acceptedAt: 0 });
  await t.rejects(cutter.step(), {
    code: 'CHAIN_RECORD_INVALID',
    message: /entry 1 comes where 0 is expected/,
  });
  const other = await openWorld();
  t.teardown(() => other.close());
  const record = {
    ...chainRecord({ file: fileId(1), from: 0, count: 1, acceptedAt: 0 }),
    body: Buffer.from('{'),
  };
  await other.eventLog.append(TOPICS.chain, [record]);
  await t.rejects((await other.anchoring()).cutter.step(), { code: 'CHAIN_RECORD_INVALID' });
});

t.test('that a file is parked, or no longer, has nothing to anchor and breaks nothing', async (t) => {
  const world = await openWorld();
  t.teardown(() => world.close());
  const { cutter } = await world.anchoring();
  const key = fileId(1);
  const at = { parking: 3, offset: 3, index: 0, outcome: 'PARKED', cause: 'x', letters: 1, replayed: 0 };
  const parking = { v: 1, kind: 'parking', rev: 2, timestamp: 0, parking: at };
  await world.deliver({ file: key, from: 0, count: 2, acceptedAt: 0 });
  await world.eventLog.append(TOPICS.chain, [
    { key, id: `${key}:2`, body: Buffer.from(JSON.stringify(parking)) },
  ]);
  await world.deliver({ file: key, from: 2, count: 1, acceptedAt: 0 });
  world.clock.advance(31_000);
  await cutter.step();
  t.same(
    (await world.cuts()).map(({ cut }) => cut.leafCount),
    [3],
  );
  const torn = { ...parking, rev: -1 };
  await world.eventLog.append(TOPICS.chain, [{ key, id: 'x', body: Buffer.from(JSON.stringify(torn)) }]);
  await t.rejects(cutter.step(), { code: 'CHAIN_RECORD_INVALID' });
});
