import t from 'tap';
import { ConflictError, saveIfCurrent } from '../src/index.ts';

type Store = Parameters<typeof saveIfCurrent>[0];

const document = { id: 'a', rev: 2 };

function storeThat(answer: () => Promise<void>): { store: Store; calls: unknown[][] } {
  const calls: unknown[][] = [];
  const write =
    (name: string) =>
    (...given: unknown[]): Promise<void> => {
      calls.push([name, ...given]);
      return answer();
    };
  return { store: { insertUnique: write('insert'), update: write('update') }, calls };
}

t.test('inserts without a revision, and replaces the given revision', async (t) => {
  const { store, calls } = storeThat(async () => undefined);
  t.equal(await saveIfCurrent(store, 'c', document, undefined), true);
  t.equal(await saveIfCurrent(store, 'c', document, 1), true);
  t.equal(await saveIfCurrent(store, 'c', document, 0), true);
  t.strictSame(calls, [
    ['insert', 'c', document],
    ['update', 'c', document, 1],
    ['update', 'c', document, 0],
  ]);
});

t.test('returns false only for a conflict', async (t) => {
  const conflict = storeThat(() => Promise.reject(new ConflictError('c')));
  t.equal(await saveIfCurrent(conflict.store, 'c', document, undefined), false);
  t.equal(await saveIfCurrent(conflict.store, 'c', document, 1), false);
  const fault = new Error('disk');
  const broken = storeThat(() => Promise.reject(fault));
  await t.rejects(saveIfCurrent(broken.store, 'c', document, undefined), fault);
  await t.rejects(saveIfCurrent(broken.store, 'c', document, 1), fault);
});
