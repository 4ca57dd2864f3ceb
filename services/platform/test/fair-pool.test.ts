import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { BodyPace, FairPool, OverloadedError } from '@sentinel-node/platform';

const pool = (whole = 120, perMember = whole) => new FairPool({ unit: 'seats', whole, perMember });

/** Returns how much a group gets when it takes until it is refused. */
function takeAll(pool: FairPool, group: string, member = `${group}'s`): number {
  const holding = pool.hold(group, member);
  for (let taken = 0; ; taken += 1) {
    try {
      holding.take(1);
    } catch (error) {
      t.ok(error instanceof OverloadedError);
      return taken;
    }
  }
}

t.test('one group takes half, the next half of what it leaves, and nobody all', async (t) => {
  const shared = pool();
  t.same(
    ['a', 'b', 'c', 'd'].map((group) => takeAll(shared, group)),
    [60, 30, 15, 7],
  );
  t.same(shared.largest(2), [
    ['a', 60],
    ['b', 30],
  ]);
});

t.test('groups that take in turns get the same', async (t) => {
  const shared = pool();
  const groups = ['a', 'b', 'c'].map((name) => ({ holding: shared.hold(name, name), taken: 0 }));
  for (let round = 0; round < 120; round += 1) {
    for (const group of groups) {
      try {
        group.holding.take(1);
        group.taken += 1;
      } catch {
        // The group is full.
      }
    }
  }
  t.same(
    groups.map(({ taken }) => taken),
    [30, 30, 30],
  );
});

t.test('a member takes no more than its share, its group goes on', async (t) => {
  const shared = pool(120, 10);
  t.equal(takeAll(shared, 'a', 'a1'), 10);
  t.equal(takeAll(shared, 'a', 'a2'), 10);
});

t.test('whatever is taken and given back, the sums hold, and a newcomer finds room', async () => {
  const step = fc.record({
    group: fc.integer({ min: 0, max: 5 }),
    member: fc.integer({ min: 0, max: 3 }),
    amount: fc.integer({ min: 1, max: 200 }),
    release: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const shared = pool(1_000, 500);
      const open: { holding: ReturnType<FairPool['hold']>; held: number }[] = [];
      for (const { group, member, amount, release } of steps) {
        if (release) {
          open.at(-1)?.holding.release();
          open.pop()?.holding.release();
          continue;
        }
        const holding = shared.hold(`${group}`, `${group}.${member}`);
        const one = { holding, held: 0 };
        open.push(one);
        try {
          holding.take(amount);
          one.held = amount;
        } catch (error) {
          if (!(error instanceof OverloadedError)) throw error;
        }
      }
      const used = open.reduce((sum, { held }) => sum + held, 0);
      if (shared.used !== used) throw new Error(`${shared.used} instead of ${used}`);
      // Each of six groups leaves at least half of what it found; a newcomer may take half of the rest.
      if (used > 1_000 - Math.floor(1_000 / 2 ** 6)) throw new Error(`only ${1_000 - used} are free`);
      const newcomer = shared.hold('new', 'new');
      newcomer.take(Math.floor((1_000 - used) / 2));
      newcomer.release();
      for (const { holding } of open) holding.release();
      if (shared.used !== 0 || shared.groups !== 0) throw new Error('something stays behind');
    }),
  );
});

t.test('a body is slow when a whole window brings too little', async (t) => {
  const pace = new BodyPace({ windowMs: 1_000, leastBytesPerSecond: 100 });
  t.equal(pace.tickMs, 250);
  const slow: string[] = [];
  const ticks = (count: number) => {
    for (let n = 0; n < count; n += 1) pace.tick();
  };
  const early = pace.watch(() => slow.push('early'));
  early.received(99);
  ticks(4);
  t.same(slow, [], 'less than a whole window, for the first tick can come at once');
  const late = pace.watch(() => slow.push('late'));
  late.received(1_000);
  ticks(1);
  t.same(slow, ['early']);
  ticks(4);
  t.same(slow, ['early'], 'much in one window');
  ticks(4);
  t.same(slow, ['early', 'late'], 'and nothing in the next');
  const steady = pace.watch(() => slow.push('steady'));
  for (let n = 0; n < 40; n += 1) {
    steady.received(25);
    pace.tick();
  }
  steady.done();
  ticks(10);
  t.same(slow, ['early', 'late']);
  t.equal(pace.size, 0);
});
