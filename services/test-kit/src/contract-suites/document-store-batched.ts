import type { Test } from 'tap';
import type { Document, DocumentStore, Query } from '@sentinel-node/platform';
import { collection, drained } from './store-harness.ts';
import type { MakeStore } from './harness.ts';

/** Documents of a batch; the batches of the suite are together more than an adapter of the tests lets wait. */
const BATCH = 30;
const BATCHES = 8;
const FILES = 7;

const FILE_0 = '0194b2c0-0000-7000-8000-000000000000';
const fileOf = (n: number): string => (n === 0 ? FILE_0 : `file-${n}`);

/** Returns the documents of a batch. Files come in turns, and each file's numbers in order. */
function batchOf(batch: number): Document[] {
  return Array.from({ length: BATCH }, (_, at) => {
    const n = batch * BATCH + at;
    const id = `d${String(n).padStart(4, '0')}`;
    return {
      id,
      file: fileOf(n % FILES),
      number: Math.floor(n / FILES),
      kind: n % 3 === 0 ? 'BREAK' : 'LINK',
    };
  });
}

const SORTS: readonly Query['sort'][] = [
  undefined,
  { field: 'number', direction: 'asc' },
  { field: 'number', direction: 'desc' },
  { field: 'kind', direction: 'desc' },
  { field: 'id', direction: 'desc' },
];

function wheres(): NonNullable<Query['where']>[] {
  const ofFiles = [FILE_0, 'file-3', 'file-9'].flatMap((file) => [
    { file },
    { file, number: 4 },
    { file, number: { gte: 3, lt: 20 } },
    { file, number: { lte: 30 } },
    { file, number: { in: [1, 5, 33] } },
    { file, kind: 'BREAK' },
    { file, kind: { contains: 'rea' } },
    { file, id: { gt: 'd0100' } },
  ]);
  const others = [{ file: { in: [FILE_0, 'file-1'] } }, { file: null }, { number: 2 }, {}];
  return [...ofFiles, ...others];
}

const LIMITS = [1, 5, 1_000] as const;

function queriesOf(where: NonNullable<Query['where']>, limits: readonly number[]): Query[] {
  return SORTS.flatMap((sort) => limits.map((limit): Query => ({ where, limit, ...(sort && { sort }) })));
}

/** Compares the answers of both collections to every condition in every order, with the given limits. */
async function compare(
  t: Test,
  store: DocumentStore,
  batched: string,
  plain: string,
  limits: readonly number[] = LIMITS,
): Promise<void> {
  const differing: string[] = [];
  const expectSame = async (what: object, ask: (name: string) => Promise<unknown>) => {
    const [found, wanted] = await Promise.all([ask(batched), ask(plain)]);
    if (JSON.stringify(found) !== JSON.stringify(wanted)) differing.push(JSON.stringify(what));
  };
  for (const where of wheres()) {
    await expectSame({ count: where }, (name) => store.count(name, where));
    for (const query of queriesOf(where, limits)) await expectSame(query, (name) => store.find(name, query));
  }
  t.same(differing, []);
}

export const batchedCases: Readonly<Record<string, (t: Test, makeStore: MakeStore) => Promise<void>>> = {
  'a batched index answers as a common one, after every batch': async (t, makeStore) => {
    const batched = collection([{ fields: ['file', 'number'], batched: true }], true);
    const plain = collection([{ fields: ['file', 'number'] }], true);
    const { store, reopen } = await makeStore(t, [batched, plain]);
    for (let batch = 0; batch < BATCHES; batch++) {
      // Half of the batch before comes again, as after a crash.
      const documents = [...batchOf(batch - 1).slice(BATCH / 2), ...batchOf(batch)].filter(
        ({ id }) => id >= 'd0',
      );
      t.same(
        await store.insertMissing(batched.name, documents),
        await store.insertMissing(plain.name, documents),
      );
      // The limits take turns: there are many comparisons.
      await compare(t, store, batched.name, plain.name, [LIMITS[batch % LIMITS.length]!]);
    }
    const again = await reopen();
    await compare(t, again, batched.name, plain.name);
    await again.writeBatches([
      [{ collection: batched.name, mode: 'insertMissing', documents: batchOf(BATCHES) }],
      [{ collection: plain.name, mode: 'insertMissing', documents: batchOf(BATCHES) }],
    ]);
    await compare(t, again, batched.name, plain.name);
    t.same(await drained(again, batched.name), await drained(again, plain.name));
  },

  'no query that a batched index is declared for looks at every document': async (t, makeStore) => {
    const spec = collection([{ fields: ['file', 'number'], batched: true }], true);
    const { store, planner } = await makeStore(t, [spec]);
    for (let batch = 0; batch < BATCHES; batch++) await store.insertMissing(spec.name, batchOf(batch));
    const wheres = [{ file: FILE_0 }, { file: FILE_0, number: { gt: 3 } }];
    for (const where of planner === 'simple' ? wheres.slice(0, 1) : wheres) {
      const { fullScan, detail } = await store.explain(spec.name, {
        where,
        sort: { field: 'number', direction: 'desc' },
        limit: 5,
      });
      t.notOk(fullScan, detail);
    }
    t.ok((await store.explain(spec.name, { where: { kind: 'LINK' }, limit: 1 })).fullScan);
  },

  'a replacement has a batched index too': async (t, makeStore) => {
    const spec = collection([{ fields: ['file', 'number'], batched: true }], true);
    const plain = collection([{ fields: ['file', 'number'] }], true);
    const { store, reopen } = await makeStore(t, [spec, plain]);
    for (let batch = 0; batch < 3; batch++) await store.insertMissing(spec.name, batchOf(batch));
    const replacement = await store.makeReplacement(spec);
    for (let batch = 2; batch < BATCHES; batch++) {
      await store.insertMissing(replacement, batchOf(batch));
      await store.insertMissing(plain.name, batchOf(batch));
    }
    await compare(t, store, replacement, plain.name, [5]);
    await store.replace(spec.name, replacement);
    await compare(t, store, spec.name, plain.name, [1]);
    await compare(t, await reopen(), spec.name, plain.name, [1_000]);
  },
};
