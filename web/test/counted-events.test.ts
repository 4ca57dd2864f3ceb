/** Events that a resumed stream repeats are counted once. */
import t from 'tap';
import { COUNTED_MAX, countedOf, isCounted, withCounted } from '../src/state/counted-events.ts';

const id = (n: number): string => `E${String(n).padStart(5, '0')}`;
/** Events from one number down to another. */
const events = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, n) => ({ id: id(from - n) }));

t.test('what a read has counted is known by its newest events', async (t) => {
  const read = countedOf(events(40, 31), 10);
  for (const n of [1, 30, 31, 40]) t.ok(isCounted(read, id(n)), `event ${n}`);
  t.notOk(isCounted(read, id(41)), 'a newer one is not');
  const gap = countedOf([...events(40, 36), ...events(34, 30)], 10);
  t.notOk(isCounted(gap, id(35)), 'one that came later than newer ones is not');
  const few = countedOf(events(40, 32), 10);
  t.notOk(isCounted(few, id(31)), 'there were no older ones to count');
});

t.test('what the stream tells is counted once, however much it tells', async (t) => {
  let counted = countedOf([], 10);
  const told = Array.from({ length: 3 * COUNTED_MAX }, (_, n) => id(n + 1));
  const twice = told.filter((one) => {
    const isOld = isCounted(counted, one);
    counted = withCounted(counted, one);
    return isOld || !isCounted(counted, one);
  });
  t.same(twice, [], 'each is new, and then no more');
  t.equal(counted.ids.length, COUNTED_MAX);
  for (const n of [1, COUNTED_MAX, 2 * COUNTED_MAX]) t.ok(isCounted(counted, id(n)), `event ${n} still`);
});
