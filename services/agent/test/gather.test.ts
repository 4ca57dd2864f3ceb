import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { Gather, WritePauses } from '../src/state/gather.ts';

/** Pauses with a given rest, which notes each begin. */
function pausesOf(leftMs: () => number) {
  const begun: number[] = [];
  const pauses = Object.create(WritePauses.prototype) as WritePauses;
  Object.defineProperties(pauses, {
    leftMs: { get: leftMs },
    begin: { value: (tookMs: number) => void begun.push(tookMs) },
  });
  return { pauses, begun };
}

t.test('a write waits for the pause that other gathers began', async (t) => {
  let isPause = true;
  const { pauses, begun } = pausesOf(() => (isPause ? 1 : 0));
  const writes: number[][] = [];
  const gather = new Gather<number>((changes) => void writes.push([...changes]), pauses);
  const added = [gather.add(1), gather.add(2)];
  await delay(30);
  t.same(writes, [], 'another one has just written');
  isPause = false;
  await Promise.all(added);
  t.same(writes, [[1, 2]], 'both in one write');
  t.equal(begun.length, 1, 'which begins the next pause');
});

t.test('a pause that never ends delays a change for a bounded time', async (t) => {
  const { pauses } = pausesOf(() => Infinity);
  const gather = new Gather<number>(() => undefined, pauses);
  await gather.add(1);
  t.pass('it was written');
});

t.test('a failed write rejects its changes and begins a pause too', async (t) => {
  const { pauses, begun } = pausesOf(() => 0);
  const gather = new Gather<number>(() => {
    throw new Error('full');
  }, pauses);
  await t.rejects(gather.add(1), { message: 'full' });
  t.equal(begun.length, 1);
});

t.test('a pause is twice as long as the write', async (t) => {
  const pauses = new WritePauses();
  t.equal(pauses.leftMs, 0);
  pauses.begin(1_000);
  t.ok(pauses.leftMs > 1_000 && pauses.leftMs <= 2_000);
});
