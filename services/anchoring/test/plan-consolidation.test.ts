import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { INPUT_BYTES, planConsolidation } from '../src/domain/plan-consolidation.ts';

/** Bytes of a transaction without inputs and with one output. */
const OTHER_BYTES = 46;
const policies = fc.record({ satoshis: fc.integer({ min: 1, max: 1_000 }), bytes: fc.constant(1_000) });
const outputs = fc
  .array(fc.integer({ min: 1, max: 50_000 }), { maxLength: 300 })
  .map((amounts) =>
    amounts.map((satoshis, n) => ({ id: `${String(n * 7919).padStart(9, '0')}:0`, satoshis })),
  );
const bounds = fc.record({
  least: fc.integer({ min: 2, max: 20 }),
  most: fc.integer({ min: 20, max: 100 }),
  smallBelow: fc.integer({ min: 1, max: 40_000 }),
});
const sum = (chosen: readonly { readonly satoshis: number }[]): number =>
  chosen.reduce((total, { satoshis }) => total + satoshis, 0);

t.test('what is joined', (t) => {
  let [joined, full] = [0, 0];
  fc.assert(
    fc.property(outputs, policies, bounds, (free, policy, given) => {
      const chosen = planConsolidation(free, policy, given);
      if (chosen.length === 0) return;
      joined += 1;
      if (chosen.length === given.most) full += 1;
      const rate = policy.satoshis / policy.bytes;
      const fee = Math.ceil((OTHER_BYTES + INPUT_BYTES * chosen.length) * rate);
      const ids = new Set(chosen.map(({ id }) => id));
      const left = free.filter(({ id }) => !ids.has(id));
      t.equal(ids.size, chosen.length, 'each once');
      t.ok(
        chosen.every((output) => free.includes(output)),
        'of what is free',
      );
      t.ok(chosen.length >= given.least && chosen.length <= given.most);
      t.ok(sum(chosen) - fee >= Math.floor(sum(chosen) / 2) - OTHER_BYTES * rate - 1, 'half of it stays');
      t.ok(sum(chosen) > fee, 'more than the fee');
      t.ok(
        chosen.every(({ satoshis }) => satoshis < given.smallBelow),
        'small ones only',
      );
      const largest = Math.max(...chosen.map(({ satoshis }) => satoshis));
      const passedOver = left.filter(
        ({ satoshis }) => satoshis < largest && satoshis >= 2 * INPUT_BYTES * rate,
      );
      t.same(passedOver, [], 'the smallest first');
    }),
    { numRuns: 200 },
  );
  t.ok(joined >= 50 && full >= 10, `${joined} of 200 are joined, ${full} as many as may be`);
  t.end();
});

t.test('it does not depend on the order, and comes to an end', (t) => {
  fc.assert(
    fc.property(outputs, policies, bounds, (free, policy, given) => {
      t.same(planConsolidation(free.toReversed(), policy, given), planConsolidation(free, policy, given));
      let rest = [...free];
      for (let round = 0; ; round++) {
        const chosen = planConsolidation(rest, policy, given);
        if (chosen.length === 0) break;
        const ids = new Set(chosen.map(({ id }) => id));
        rest = [...rest.filter(({ id }) => !ids.has(id)), { id: `joined:${round}`, satoshis: sum(chosen) }];
      }
      t.ok(rest.length <= free.length);
    }),
    { numRuns: 50 },
  );
  t.end();
});

t.test('at the bounds', (t) => {
  const policy = { satoshis: 100, bytes: 1_000 };
  const of = (count: number, satoshis: number) =>
    Array.from({ length: count }, (_, n) => ({ id: `${n}`, satoshis }));
  const plan = (free: { id: string; satoshis: number }[]) =>
    planConsolidation(free, policy, { least: 10, most: 100, smallBelow: 3_000 }).length;
  t.equal(plan(of(9, 100)), 0);
  t.equal(plan(of(10, 100)), 10);
  t.equal(plan(of(101, 100)), 100);
  t.equal(plan(of(10, 3_000)), 0);
  t.equal(plan(of(10, 2_999)), 10);
  t.equal(plan(of(10, 29)), 0, 'not worth the fee');
  t.equal(plan(of(10, 30)), 10);
  t.end();
});

t.test('an output that is worth exactly twice its cost is joined; of equal ones the first ids are', (t) => {
  const bounds = { least: 1, most: 2, smallBelow: 3_000 };
  const ids = (...given: string[]) => given.map((id) => ({ id, satoshis: 298 }));
  const plan = (satoshis: number) =>
    planConsolidation(ids('c', 'a', 'b'), { satoshis, bytes: 1 }, bounds).map(({ id }) => id);
  t.strictSame(plan(1), ['a', 'b']);
  t.strictSame(plan(1.01), []);
  t.end();
});
