import t from 'tap';
import type { DocumentStore } from '@sentinel-node/platform';
import { keptNamesOf } from '../src/views/index.ts';

/** Returns a store that knows every id, and records the requested ones. */
function countingStore(): { store: DocumentStore; asked: string[] } {
  const asked: string[] = [];
  const getMany = (_: string, ids: readonly string[]) => {
    asked.push(...ids);
    return Promise.resolve(ids.filter((id) => id !== 'unknown').map((id) => ({ id, name: `name of ${id}` })));
  };
  return { store: { getMany } as unknown as DocumentStore, asked };
}

t.test('a long read looks every name up once', async (t) => {
  const { store, asked } = countingStore();
  const namesOf = keptNamesOf(store);
  const subjects = [
    { deviceId: 'd', fileId: 'f1' },
    { deviceId: 'd', fileId: 'unknown' },
    { deviceId: null, fileId: null },
  ];
  for (const page of [subjects, [...subjects, { deviceId: 'd', fileId: 'f2' }]]) {
    const names = await namesOf(page);
    t.same([names.device('d'), names.file('f1'), names.device(null)], ['name of d', 'name of f1', null]);
    t.equal(names.file('unknown'), null);
  }
  t.same(asked.sort(), ['d', 'f1', 'f2', 'unknown']);
});

t.test('names that do not fit are looked up again, and are right', async (t) => {
  const { store, asked } = countingStore();
  const namesOf = keptNamesOf(store);
  const page = (from: number) =>
    Array.from({ length: 500 }, (_, n) => ({ deviceId: 'd', fileId: `f${from + n}` }));
  for (let from = 0; from < 20_000; from += 500) {
    const names = await namesOf(page(from));
    t.equal(names.file(`f${from + 499}`), `name of f${from + 499}`);
  }
  const before = asked.length;
  const names = await namesOf(page(0));
  t.equal(names.file('f0'), 'name of f0');
  t.equal(asked.length - before, 500);
});
