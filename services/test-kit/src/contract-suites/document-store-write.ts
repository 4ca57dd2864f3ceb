import type { Test } from 'tap';
import type { Document, DocumentStore } from '@sentinel-node/platform';
import { SeededRandom } from '../fakes/seeded-random.ts';
import { collection, drained } from './store-harness.ts';
import { PENDING_BYTES, type MakeStore } from './harness.ts';

const ROUNDS = 40;

/** Runs all calls at once; returns which of them resolved, with the codes of the others. */
async function race(
  attempts: readonly (() => Promise<unknown>)[],
): Promise<{ winners: number[]; codes: string[] }> {
  const settled = await Promise.allSettled(attempts.map((attempt) => attempt()));
  const winners = settled.flatMap((result, index) => (result.status === 'fulfilled' ? [index] : []));
  const codes = settled.flatMap((result) =>
    result.status === 'rejected' ? [String((result.reason as { code?: string }).code)] : [],
  );
  return { winners, codes };
}

export const writeCases: Readonly<Record<string, (t: Test, makeStore: MakeStore) => Promise<void>>> = {
  'a document comes back as it went, without undefined fields': async (t, makeStore) => {
    const spec = collection([{ fields: ['text'] }]);
    const { store, reopen } = await makeStore(t, [spec]);
    const document: Document = {
      id: 'o\'brien-\u{1F511}-"x"',
      rev: Number.MAX_SAFE_INTEGER,
      text: "'; DROP TABLE c0; --\u0000 \u2028 ß",
      big: -Number.MAX_SAFE_INTEGER,
      real: 0.1,
      yes: true,
      none: null,
      nested: { 'a.b': [1, 'two', { three: null }], $set: 'dollar' },
      '$odd.field "name"': 'kept',
      absent: undefined,
    };
    await store.insertUnique(spec.name, document);
    const { absent, ...stored } = document;
    t.equal(absent, undefined);
    const check = async (open: DocumentStore) => {
      const found = await open.get(spec.name, document.id);
      t.strictSame(found, stored);
      t.notOk(Object.hasOwn(found!, 'absent'));
      t.equal(await open.get(spec.name, 'unknown'), undefined);
    };
    await check(store);
    await check(await reopen());
  },

  'getMany answers in the order asked, without the missing': async (t, makeStore) => {
    const spec = collection([]);
    const { store } = await makeStore(t, [spec]);
    await store.insertMissing(
      spec.name,
      ['a', 'b', 'c'].map((id) => ({ id })),
    );
    t.same(await store.getMany(spec.name, ['c', 'x', 'a']), [{ id: 'c' }, { id: 'a' }]);
    t.same(await store.getMany(spec.name, []), []);
  },

  'bulkUpsert takes a higher rev only': async (t, makeStore) => {
    const spec = collection([{ fields: ['value'] }]);
    const { store } = await makeStore(t, [spec]);
    await store.bulkUpsert(spec.name, [
      { id: 'a', rev: 5, value: 'first' },
      { id: 'b', rev: 5, value: 'first' },
      { id: 'c', rev: 5, value: 'first' },
    ]);
    await store.bulkUpsert(spec.name, [
      { id: 'a', rev: 4, value: 'stale' },
      { id: 'b', rev: 5, value: 'equal' },
      { id: 'c', rev: 6, value: 'newer' },
      { id: 'd', rev: 0, value: 'missing' },
    ]);
    const values = (await drained(store, spec.name)).map(({ id, rev, value }) => [id, rev, value]);
    t.same(values, [
      ['a', 5, 'first'],
      ['b', 5, 'first'],
      ['c', 6, 'newer'],
      ['d', 0, 'missing'],
    ]);
    t.equal(await store.count(spec.name, { value: 'first' }), 2, 'indexes follow');
    t.equal(await store.count(spec.name, { value: 'stale' }), 0);
  },

  'bulkUpserts in any order and number end the same': async (t, makeStore) => {
    const spec = collection([]);
    const { store } = await makeStore(t, [spec]);
    const random = new SeededRandom(7);
    const versions = Array.from({ length: 200 }, (_, n) => ({
      id: `d${n % 10}`,
      rev: Math.floor(n / 10),
      n,
    }));
    const sent = [...versions, ...versions].sort(() => random.below(3) - 1);
    const calls: Promise<void>[] = [];
    while (sent.length > 0) calls.push(store.bulkUpsert(spec.name, sent.splice(0, 1 + random.below(20))));
    await Promise.all(calls);
    t.same(await drained(store, spec.name), versions.slice(-10));
  },

  'insertMissing leaves what is there and names what it inserted': async (t, makeStore) => {
    const spec = collection([], true);
    const { store } = await makeStore(t, [spec]);
    t.same(
      await store.insertMissing(spec.name, [
        { id: 'a', n: 1 },
        { id: 'b', n: 1 },
      ]),
      ['a', 'b'],
    );
    t.same(
      await store.insertMissing(spec.name, [
        { id: 'b', n: 2 },
        { id: 'c', n: 2 },
        { id: 'c', n: 3 },
      ]),
      ['c'],
    );
    t.same(await store.insertMissing(spec.name, []), []);
    t.same(
      (await drained(store, spec.name)).map(({ id, n }) => [id, n]),
      [
        ['a', 1],
        ['b', 1],
        ['c', 2],
      ],
    );
  },

  'writeBatches writes each collection in its way': async (t, makeStore) => {
    const [guarded, kept] = [collection([{ fields: ['value'] }]), collection([], true)];
    const { store } = await makeStore(t, [guarded, kept]);
    const write = (n: number) =>
      store.writeBatches([
        [{ collection: kept.name, mode: 'insertMissing', documents: [{ id: `only-${n}` }, { id: 'k', n }] }],
        [],
        [{ collection: guarded.name, mode: 'upsert', documents: [{ id: 'g', rev: n, value: n }] }],
      ]);
    for (const n of [2, 1, 3]) await write(n);
    await store.writeBatches([]);
    t.same(
      (await drained(store, kept.name)).map(({ id, n }) => [id, n]),
      [['k', 2], ...[1, 2, 3].map((n) => [`only-${n}`, undefined])],
    );
    t.same(await drained(store, guarded.name), [{ id: 'g', rev: 3, value: 3 }]);
    t.equal(await store.count(guarded.name, { value: 2 }), 0);
  },

  'a reader that sees the writes of a batch sees those of the batches before it': async (t, makeStore) => {
    const [first, second] = [collection([]), collection([])];
    const { store } = await makeStore(t, [first, second]);
    const documents = (n: number) => [{ id: 'one', rev: n }];
    let written = 0;
    const writing = (async () => {
      for (let n = 1; n <= ROUNDS; n++, written++)
        await store.writeBatches([
          [{ collection: first.name, mode: 'upsert', documents: documents(n) }],
          [{ collection: second.name, mode: 'upsert', documents: documents(n) }],
        ]);
    })();
    while (written < ROUNDS) {
      const later = await store.get(second.name, 'one');
      const earlier = await store.get(first.name, 'one');
      t.ok((earlier?.rev ?? 0) >= (later?.rev ?? 0));
    }
    await writing;
  },

  'writeBatches writes more than may be pending at once, and keeps the order': async (t, makeStore) => {
    const [first, second, last] = [collection([]), collection([]), collection([])];
    const { store } = await makeStore(t, [first, second, last]);
    const text = 'x'.repeat(PENDING_BYTES / 64);
    const documents = Array.from({ length: 80 }, (_, n) => ({ id: `d${n}`, rev: 1, text }));
    const larger = { id: 'larger', text: 'x'.repeat(PENDING_BYTES + 1) };
    let isWritten = false;
    const writing = store.writeBatches([
      [
        { collection: first.name, mode: 'upsert', documents },
        { collection: second.name, mode: 'insertMissing', documents: [larger, ...documents] },
      ],
      [{ collection: last.name, mode: 'upsert', documents: [{ id: 'one', rev: 1 }] }],
    ]);
    void Promise.allSettled([writing]).then(() => (isWritten = true));
    const counts = () => Promise.all([first, second].map(({ name }) => store.count(name)));
    while (!isWritten) {
      const isLast = (await store.get(last.name, 'one')) !== undefined;
      if (isLast) t.same(await counts(), [80, 81]);
    }
    await writing;
    t.same(await counts(), [80, 81]);
    t.ok(await store.get(last.name, 'one'));
  },

  'of two racing insertUnique exactly one wins': async (t, makeStore) => {
    const spec = collection([{ fields: ['email'], unique: true, sparse: true }]);
    const { store } = await makeStore(t, [spec]);
    for (let round = 0; round < ROUNDS; round++) {
      const byId = await race(
        [0, 1, 2].map((n) => () => store.insertUnique(spec.name, { id: `id-${round}`, n })),
      );
      t.equal(byId.winners.length, 1);
      t.same(byId.codes, ['CONFLICT', 'CONFLICT']);
      t.equal((await store.get(spec.name, `id-${round}`))?.['n'], byId.winners[0]);
      const email = `person-${round}@example.org`;
      const byIndex = await race(
        [0, 1].map((n) => () => store.insertUnique(spec.name, { id: `e-${round}-${n}`, email })),
      );
      t.equal(byIndex.winners.length, 1);
      t.same(byIndex.codes, ['CONFLICT']);
      t.equal(await store.count(spec.name, { email }), 1);
    }
  },

  'of racing updates of one rev exactly one wins, and every won one counts': async (t, makeStore) => {
    const spec = collection([]);
    const { store } = await makeStore(t, [spec]);
    await store.insertUnique(spec.name, { id: 'counter', rev: 0, total: 0 });
    const addOne = async (): Promise<void> => {
      for (;;) {
        const { rev, total } = (await store.get(spec.name, 'counter')) as {
          rev: number;
          total: number;
          id: string;
        };
        const next = { id: 'counter', rev: rev + 1, total: total + 1 };
        const isWritten = await store.update(spec.name, next, rev).then(
          () => true,
          (error: { code?: string }) => {
            if (error.code !== 'CONFLICT') throw error;
            return false;
          },
        );
        if (isWritten) return;
      }
    };
    await Promise.all(Array.from({ length: ROUNDS }, addOne));
    t.match(await store.get(spec.name, 'counter'), { rev: ROUNDS, total: ROUNDS });
  },

  'update of another rev, of a gone document, or onto a unique value is a conflict': async (t, makeStore) => {
    const spec = collection([{ fields: ['name'], unique: true, sparse: true }]);
    const { store } = await makeStore(t, [spec]);
    await store.insertUnique(spec.name, { id: 'a', rev: 1, name: 'one' });
    await store.insertUnique(spec.name, { id: 'b', rev: 1, name: 'two' });
    await t.rejects(store.update(spec.name, { id: 'a', rev: 3, name: 'one' }, 2), { code: 'CONFLICT' });
    await t.rejects(store.update(spec.name, { id: 'gone', rev: 2 }, 1), { code: 'CONFLICT' });
    await t.rejects(store.update(spec.name, { id: 'b', rev: 2, name: 'one' }, 1), { code: 'CONFLICT' });
    t.match(await store.get(spec.name, 'b'), { rev: 1, name: 'two' });
    await store.update(spec.name, { id: 'b', rev: 2, name: 'three' }, 1);
    await store.insertUnique(spec.name, { id: 'c', rev: 1, name: 'two' });
    t.equal(await store.count(spec.name), 3);
  },

  'a write is read once it resolved, also in a search': async (t, makeStore) => {
    const spec = collection([{ fields: ['org', 'name'] }]);
    const { store } = await makeStore(t, [spec]);
    for (let n = 0; n < ROUNDS; n++) {
      await store.bulkUpsert(spec.name, [{ id: 'own', rev: n, org: 'o', name: `Name-${n}` }]);
      t.equal((await store.get(spec.name, 'own'))?.rev, n);
      const where = { org: 'o', name: { contains: `name-${n}` } };
      t.equal((await store.find(spec.name, { where, limit: 2 })).length, 1);
    }
  },

  'removed documents are gone, with their unique values': async (t, makeStore) => {
    const spec = collection([{ fields: ['name'], unique: true, sparse: true }]);
    const { store } = await makeStore(t, [spec]);
    await store.insertMissing(spec.name, [{ id: 'a', name: 'one' }, { id: 'b' }, { id: 'c' }]);
    await store.remove(spec.name, ['a', 'c', 'unknown']);
    t.same(await drained(store, spec.name), [{ id: 'b' }]);
    await store.insertUnique(spec.name, { id: 'd', name: 'one' });
  },
};
