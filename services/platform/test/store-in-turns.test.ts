import t from 'tap';
import { FairTurns, storeInTurns, type DocumentStore } from '@sentinel-node/platform';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A store that answers `get` and each page of `scan` when the test says so, and counts the calls under way. */
function slowStore() {
  const calls: { answer: (value?: unknown) => void; fail: (error: Error) => void }[] = [];
  const call = () =>
    new Promise<unknown>((resolve, reject) => {
      calls.push({ answer: resolve, fail: reject });
    });
  const store = {
    get: call,
    writeBatches: call,
    async *scan() {
      for (let page = 0; page < 2; page += 1) {
        await call();
        yield [{ id: `${page}` }];
      }
    },
  } as unknown as DocumentStore;
  return { store, calls };
}

const turnsOf = (whole: number) => new FairTurns({ unit: 'calls', whole, waiting: 100, waitMs: 60_000 });

t.test('a group takes half of the turns, and the next call begins when one ends', async (t) => {
  const { store, calls } = slowStore();
  const turns = turnsOf(4);
  const inTurns = storeInTurns(store, turns, 'one');
  const gets = [1, 2, 3].map((n) => inTurns.get('things', `${n}`));
  await settled();
  t.equal(calls.length, 2);
  void storeInTurns(store, turns, 'other').get('things', '4');
  await settled();
  t.equal(calls.length, 3, 'another group has its own turn');
  calls[0]!.fail(new Error('broken'));
  await t.rejects(gets[0]!, { message: 'broken' });
  await settled();
  t.equal(calls.length, 4, 'a call that failed gives its turn back');
  calls[1]!.answer();
});

t.test('a scan holds no turn while its pages are handled', async (t) => {
  const { store, calls } = slowStore();
  const turns = turnsOf(2);
  const pages = storeInTurns(store, turns, 'one').scan('things')[Symbol.asyncIterator]();
  const first = pages.next();
  await settled();
  t.equal(turns.used, 1);
  calls[0]!.answer();
  t.same((await first).value, [{ id: '0' }]);
  t.equal(turns.used, 0);
  await pages.return?.();
  t.equal(turns.used, 0, 'and none after it was left');
});

t.test('batches take no turn', async (t) => {
  const { store, calls } = slowStore();
  const turns = turnsOf(2);
  const inTurns = storeInTurns(store, turns, 'one');
  for (let n = 0; n < 3; n += 1) void inTurns.writeBatches([]);
  await settled();
  t.equal(calls.length, 3);
  t.equal(turns.used, 0);
});
