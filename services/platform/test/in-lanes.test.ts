import t from 'tap';
import { inLanes } from '../src/ambient/in-lanes.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

t.test('every item is done once, in order, and never more than allowed at a time', async (t) => {
  const begun: number[] = [];
  let underWay = 0;
  let most = 0;
  await inLanes(3, [5, 1, 4, 2, 3, 0, 1], async (turns) => {
    begun.push(turns);
    most = Math.max(most, ++underWay);
    for (let n = 0; n < turns; n++) await nextTurn();
    underWay--;
  });
  t.strictSame(begun, [5, 1, 4, 2, 3, 0, 1]);
  t.equal(most, 3);
  t.equal(underWay, 0);
});

t.test('no items need no lane', async (t) => {
  await inLanes(3, [], () => Promise.reject(new Error('never')));
  t.pass();
});

t.test('the first failure is thrown after all items are done', async (t) => {
  const done: number[] = [];
  const work = async (n: number): Promise<void> => {
    await nextTurn();
    if (n % 2 === 1) throw new Error(`failed ${n}`);
    done.push(n);
  };
  await t.rejects(inLanes(2, [0, 1, 2, 3, 4], work), { message: 'failed 1' });
  t.strictSame(done, [0, 2, 4]);
});
