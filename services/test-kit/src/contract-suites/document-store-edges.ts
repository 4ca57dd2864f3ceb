import type { Test } from 'tap';
import type { Condition, Document, Json } from '@sentinel-node/platform';
import { collection, drained } from './store-harness.ts';
import type { MakeStore } from './harness.ts';

const ROUNDS = 40;

/** Cases in which stores differ and the port defines one result. */
export const edgeCases: Readonly<Record<string, (t: Test, makeStore: MakeStore) => Promise<void>>> = {
  'names and texts that mean something to a store come back as they went': async (t, makeStore) => {
    const spec = collection([{ fields: ['org'] }]);
    const { store } = await makeStore(t, [spec]);
    const odd: Json = JSON.parse(
      '{"_id":1,"_bsontype":"ObjectId","__proto__":{"x":1},"%24set":2,"$set":{"$ref":"r","$id":"i"},"a.b":[{"%n":3}],"\\u0000":4,"":5}',
    ) as Json;
    const documents: Document[] = [
      { id: 'top', org: 'o', ...(odd as object) },
      { id: 'inner', org: 'o', odd, lone: ['\ud800', { lone: '\udfff!' }], '%t': '"text"' },
      { id: 'lone', org: 'o', name: 'a\ud83d' },
    ];
    await store.insertMissing(spec.name, documents);
    for (const document of documents) t.strictSame(await store.get(spec.name, document.id), document);
    t.equal(Object.getPrototypeOf(await store.get(spec.name, 'top')), Object.prototype);
    t.equal(await store.count(spec.name, { org: 'o', 'a.b': 3 }), 0);
    t.equal(await store.count(spec.name, { $set: 1 }), 0);
    t.equal(await store.count(spec.name, { '%24set': 2 }), 1);
    t.equal(await store.count(spec.name, { _id: 1 }), 1);
  },

  'lists and objects equal no scalar and lie in no range': async (t, makeStore) => {
    const spec = collection([{ fields: ['org'] }]);
    const { store } = await makeStore(t, [spec]);
    await store.insertMissing(spec.name, [
      { id: 'list', org: 'o', v: [1, 'a', null] },
      { id: 'empty', org: 'o', v: [] },
      { id: 'object', org: 'o', v: { a: 1 } },
      { id: 'scalar', org: 'o', v: 'a' },
    ]);
    const conditions: readonly [Condition, number][] = [
      [1, 0],
      ['a', 1],
      [null, 0],
      [{ in: [1, null] }, 0],
      [{ gte: 0 }, 0],
      [{ gt: '' }, 1],
      [{ prefix: '' }, 1],
      [{ contains: 'A' }, 1],
    ];
    for (const [v, wanted] of conditions)
      t.equal(await store.count(spec.name, { org: 'o', v }), wanted, JSON.stringify(v));
  },

  'a null bound holds nothing, no bound everything': async (t, makeStore) => {
    const spec = collection([{ fields: ['v'] }]);
    const { store } = await makeStore(t, [spec]);
    await store.insertMissing(spec.name, [{ id: 'a', v: null }, { id: 'b' }, { id: 'c', v: 1 }]);
    for (const field of ['v', 'w']) {
      for (const bound of ['gt', 'gte', 'lt', 'lte'])
        t.equal(await store.count(spec.name, { [field]: { [bound]: null } }), 0, bound);
      t.equal(await store.count(spec.name, { [field]: {} }), 3);
    }
  },

  'contains looks for the text itself': async (t, makeStore) => {
    const spec = collection([{ fields: ['org'] }]);
    const { store } = await makeStore(t, [spec]);
    const texts = ['a.b', 'axb', '^start$', 'c:\\x\\Q', '[z]', '(1)|2', 'a*+?{1}', '/#-\n\0', 'plain'];
    await store.insertMissing(
      spec.name,
      texts.map((name, n) => ({ id: `d${n}`, org: 'o', name })),
    );
    for (const text of texts)
      t.equal(await store.count(spec.name, { org: 'o', name: { contains: text } }), 1, text);
    for (const text of ['.*', '^a', 'b$', '\\w', '[a-z]', 'a|b', '\\Qa'])
      t.equal(await store.count(spec.name, { org: 'o', name: { contains: text } }), 0, text);
  },

  'a sparse index holds a document that has all of its fields': async (t, makeStore) => {
    const spec = collection([
      { fields: ['org', 'email'], unique: true, sparse: true },
      { fields: ['open', 'at'], sparse: true },
    ]);
    const { store } = await makeStore(t, [spec]);
    const halves: Document[] = [
      { id: 'a', rev: 1, org: 'o', email: null, open: null },
      { id: 'b', rev: 1, org: 'o', email: null, open: 1 },
      { id: 'c', rev: 1, org: 'o', at: 5 },
      { id: 'd', rev: 1, org: 'o', at: 5, open: 1 },
    ];
    for (const document of halves) await store.insertUnique(spec.name, document);
    t.strictSame(await drained(store, spec.name), halves, 'null is null');
    t.equal(await store.count(spec.name, { email: null }), 4);
    t.equal(await store.count(spec.name, { open: 1 }), 2);
    t.equal(await store.count(spec.name, { open: 1, at: { gt: 0 } }), 1);
    await store.update(spec.name, { id: 'a', rev: 2, org: 'o', email: 'x' }, 1);
    await t.rejects(store.update(spec.name, { id: 'b', rev: 2, org: 'o', email: 'x' }, 1), {
      code: 'CONFLICT',
    });
    await store.insertUnique(spec.name, { id: 'e', org: 'other', email: 'x' });
  },

  'a sparse index declared later leaves out what is null': async (t, makeStore) => {
    const spec = collection([]);
    const { store } = await makeStore(t, [spec]);
    const documents: Document[] = [
      { id: 'a', name: null, other: null },
      { id: 'b', name: null },
      { id: 'c', name: 'x' },
    ];
    await store.insertMissing(spec.name, documents);
    await store.ensure([{ ...spec, indexes: [{ fields: ['name'], unique: true, sparse: true }] }]);
    t.strictSame(await drained(store, spec.name), documents);
    t.equal(await store.count(spec.name, { name: null }), 2);
  },

  'of one id in one call the first counts, or the highest rev': async (t, makeStore) => {
    const spec = collection([]);
    const { store } = await makeStore(t, [spec]);
    await store.bulkUpsert(spec.name, [
      { id: 'a', rev: 1, n: 1 },
      { id: 'a', rev: 3, n: 2 },
      { id: 'a', rev: 2, n: 3 },
      { id: 'a', rev: 3, n: 4 },
    ]);
    t.match(await store.get(spec.name, 'a'), { rev: 3, n: 2 });
    await store.insertMissing(spec.name, [{ id: 'no-rev', n: 1 }]);
    await store.bulkUpsert(spec.name, [{ id: 'no-rev', rev: -1, n: 2 }]);
    t.match(await store.get(spec.name, 'no-rev'), { rev: -1, n: 2 }, 'none is lower than any');
  },

  'of racing upserts of a new id the highest rev stays': async (t, makeStore) => {
    const spec = collection([]);
    const { store } = await makeStore(t, [spec]);
    for (let round = 0; round < ROUNDS; round++) {
      const ids = [0, 1, 2, 3, 4].map((n) => `r${round}-${n}`);
      const write = (rev: number) =>
        store.bulkUpsert(
          spec.name,
          ids.map((id) => ({ id, rev })),
        );
      await Promise.all([1, 4, 2, 3].map(write));
      const found = await store.getMany(spec.name, ids);
      t.same(
        found.map(({ rev }) => rev),
        [4, 4, 4, 4, 4],
      );
    }
  },

  'each id that racing insertMissing bring is told to one of them': async (t, makeStore) => {
    const spec = collection([]);
    const { store } = await makeStore(t, [spec]);
    const ids = Array.from({ length: 200 }, (_, n) => `d${n}`);
    const insert = (by: number) =>
      store.insertMissing(
        spec.name,
        ids.map((id) => ({ id, by })),
      );
    const told = await Promise.all([0, 1, 2, 3].map(insert));
    t.same(told.flat().sort(), [...ids].sort());
    for (const [by, mine] of told.entries())
      t.ok((await store.getMany(spec.name, mine)).every((document) => document['by'] === by));
  },

  'a unique index refuses in bulk too': async (t, makeStore) => {
    const spec = collection([{ fields: ['name'], unique: true, sparse: true }]);
    const { store } = await makeStore(t, [spec]);
    await store.insertUnique(spec.name, { id: 'a', rev: 1, name: 'x' });
    const other = { id: 'b', rev: 1, name: 'x' };
    await t.rejects(store.bulkUpsert(spec.name, [other]), { code: 'CONFLICT' });
    await t.rejects(store.insertMissing(spec.name, [other]), { code: 'CONFLICT' });
    t.same(await store.insertMissing(spec.name, [{ id: 'a', name: 'x' }]), []);
    await store.bulkUpsert(spec.name, [{ id: 'a', rev: 1, name: 'x' }]);
    t.equal(await store.get(spec.name, 'b'), undefined);
  },

  'a fault of the caller is refused': async (t, makeStore) => {
    const spec = collection([{ fields: ['v'] }]);
    const { store } = await makeStore(t, [spec]);
    await t.rejects(store.insertUnique(spec.name, { id: 'a', v: [1] }), TypeError);
    await t.rejects(store.insertUnique(spec.name, { id: '' }), TypeError);
    await t.rejects(store.insertUnique(spec.name, { id: 'a', rev: 1.5 }), TypeError);
    await t.rejects(store.update(spec.name, { id: 'a', rev: 2 }, 1.5), TypeError);
    await t.rejects(async () => store.get('unknown', 'a'), /unknown collection/);
    t.equal(await store.count(spec.name), 0);
  },
};

/** Cases after which the store is closed. */
export const endCases: typeof edgeCases = {
  'a closed store refuses calls, and closes again without an error': async (t, makeStore) => {
    const spec = collection([]);
    const { store } = await makeStore(t, [spec]);
    await store.close();
    await t.rejects(async () => store.get(spec.name, 'a'), /closed/);
    await store.close();
  },
};
