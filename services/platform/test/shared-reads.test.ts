import t from 'tap';
import { SharedReads } from '../src/ambient/shared-reads.ts';

/** Returns a read that the test ends. */
function held() {
  const ends: { resolve: (value: number) => void; reject: (error: Error) => void }[] = [];
  const ask = (): Promise<number> =>
    new Promise((resolve, reject) => {
      ends.push({ resolve, reject });
    });
  return { ask, ends };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test('who asks while a read is under way is given one that began afterwards', async (t) => {
  const reads = new SharedReads<number>();
  const { ask, ends } = held();
  const first = reads.read('a', ask);
  const later = [reads.read('a', ask), reads.read('a', ask)];
  const other = reads.read('b', ask);
  t.equal(ends.length, 2, 'one of each');
  ends[0]!.resolve(1);
  t.equal(await first, 1);
  await turn();
  t.equal(ends.length, 3, 'one for all who waited');
  const last = reads.read('a', ask);
  ends[2]!.resolve(2);
  t.same(await Promise.all(later), [2, 2]);
  await turn();
  ends[3]!.resolve(3);
  ends[1]!.resolve(4);
  t.same(await Promise.all([last, other]), [3, 4]);
  const anew = reads.read('a', ask);
  ends[4]!.resolve(5);
  t.equal(await anew, 5);
});

t.test('a read that fails does so for those who shared it, and no others', async (t) => {
  const reads = new SharedReads<number>();
  const { ask, ends } = held();
  const first = reads.read('a', ask);
  const second = reads.read('a', ask);
  ends[0]!.reject(new Error('away'));
  await t.rejects(first, { message: 'away' });
  await turn();
  ends[1]!.resolve(2);
  t.equal(await second, 2);
});
