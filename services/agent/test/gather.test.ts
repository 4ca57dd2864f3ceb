import t from 'tap';
import { Gather, pauseAfter, WritePauses } from '../src/state/gather.ts';

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
  const writes: number[][] = [];
  /** Number of written lists at each question for the rest of the pause: the second question finds its end. */
  const writtenAt: number[] = [];
  const { pauses, begun } = pausesOf(() => (writtenAt.push(writes.length) === 1 ? 1 : 0));
  // The longest wait does not end on a busy machine, either.
  const gather = new Gather<number>((changes) => void writes.push([...changes]), pauses, 60_000);
  const added = [gather.add(1), gather.add(2)];
  await Promise.all(added);
  t.same(writtenAt, [0, 0], 'nothing was written while another one had just written');
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
  pauses.begin(1_000, 1);
  t.ok(pauses.leftMs > 1_000 && pauses.leftMs <= 2_000);
});

t.test('a pause is as long in ms as the write had changes, up to a hundred', async (t) => {
  const pauses = [1, 60, 100, 1_000_000].map((changes) => pauseAfter(1, changes));
  t.strictSame(pauses, [2, 60, 100, 100]);
  t.equal(pauseAfter(1_000, 60), 2_000);
});
