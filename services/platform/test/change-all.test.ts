import t from 'tap';
import { changeAll, OverloadedError } from '../src/index.ts';

interface Counter {
  readonly id: string;
  readonly rev: number;
  readonly by: readonly string[];
}
type Store = Parameters<typeof changeAll<Counter>>[0];

/** A store in memory that guards by `rev` as every adapter does; `meanwhile` runs before each write. */
function storeOf(documents: readonly Counter[], meanwhile: (held: Map<string, Counter>) => void = () => {}) {
  const held = new Map(documents.map((one) => [one.id, one]));
  const calls: string[] = [];
  const store = {
    getMany: (_: string, ids: readonly string[]) => {
      calls.push(`read ${ids.join(' ')}`);
      return Promise.resolve(ids.flatMap((id) => held.get(id) ?? []));
    },
    bulkUpsert: (_: string, written: readonly Counter[]) => {
      calls.push(`write ${written.map(({ id, rev }) => `${id}@${rev}`).join(' ')}`);
      meanwhile(held);
      for (const one of written) if (one.rev > (held.get(one.id)?.rev ?? 0)) held.set(one.id, one);
      return Promise.resolve();
    },
  } as unknown as Store;
  return { store, held, calls };
}

const addMe = (id: string, found: Counter | undefined): Counter | undefined =>
  found?.by.includes('me') === true ? undefined : { id, rev: 0, by: [...(found?.by ?? []), 'me'] };

t.test('reads, writes what needs it, and reads again', async (t) => {
  const { store, held, calls } = storeOf([
    { id: 'a', rev: 3, by: ['other'] },
    { id: 'b', rev: 1, by: ['me'] },
  ]);
  await changeAll(store, 'c', ['a', 'b', 'new'], addMe);
  t.strictSame(calls, ['read a b new', 'write a@4 new@1', 'read a new']);
  t.strictSame(held.get('a'), { id: 'a', rev: 4, by: ['other', 'me'] });
  t.strictSame(held.get('new'), { id: 'new', rev: 1, by: ['me'] });
});

t.test('a write that lost against another writer is made again on top of the other one', async (t) => {
  let isFirst = true;
  const { store, held, calls } = storeOf([{ id: 'a', rev: 3, by: [] }], (documents) => {
    if (isFirst) documents.set('a', { id: 'a', rev: 4, by: ['other'] });
    isFirst = false;
  });
  await changeAll(store, 'c', ['a'], addMe);
  t.strictSame(held.get('a'), { id: 'a', rev: 5, by: ['other', 'me'] });
  t.strictSame(calls, ['read a', 'write a@4', 'read a', 'write a@5', 'read a']);
});

t.test('nothing to change costs no write', async (t) => {
  const { store, calls } = storeOf([{ id: 'a', rev: 1, by: ['me'] }]);
  await changeAll(store, 'c', ['a'], addMe);
  t.strictSame(calls, ['read a']);
});

t.test('ends when others keep changing a document', async (t) => {
  const { store } = storeOf([], (documents) => {
    const rev = (documents.get('a')?.rev ?? 0) + 1;
    documents.set('a', { id: 'a', rev, by: ['other'] });
  });
  await t.rejects(changeAll(store, 'c', ['a'], addMe), OverloadedError);
});
