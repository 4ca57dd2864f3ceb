import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';
import { ConflictError, replacedBy } from '@sentinel-node/platform';
import type { Document, DocumentStore } from '@sentinel-node/platform';
import { collection, drained } from './store-harness.ts';
import type { MakeStore } from './harness.ts';

const DOCUMENTS = 300;
const ROUNDS = 4;

/** Makes documents that carry the number `making`. */
function documents(making: number): (Document & { readonly rev: number })[] {
  return Array.from({ length: DOCUMENTS }, (_, n) => ({ id: `id-${n}`, rev: 1, org: 'o', n, making }));
}

async function filled(
  store: DocumentStore,
  spec: ReturnType<typeof collection>,
  making: number,
): Promise<string> {
  const replacement = await store.makeReplacement(spec);
  await store.bulkUpsert(replacement, documents(making));
  return replacement;
}

/** Cases in which a collection replaces another. */
export const replaceCases: Readonly<Record<string, (t: Test, makeStore: MakeStore) => Promise<void>>> = {
  'a replacement takes the place of the collection, with its documents and indexes': async (t, makeStore) => {
    const spec = collection([{ fields: ['org', 'n'] }, { fields: ['key'], unique: true, sparse: true }]);
    const { store, reopen } = await makeStore(t, [spec]);
    await store.insertMissing(spec.name, [{ id: 'old', org: 'o', key: 'k' }]);
    const replacement = await filled(store, spec, 1);
    t.equal(replacedBy(replacement), spec.name);
    t.equal(replacedBy(spec.name), undefined);
    t.equal(await store.count(spec.name), 1, 'the collection is as it was until it is replaced');
    await store.insertUnique(replacement, { id: 'unique', key: 'k' });
    await store.replace(spec.name, replacement);
    const check = async (found: DocumentStore) => {
      t.equal(await found.get(spec.name, 'old'), undefined);
      t.strictSame(await found.get(spec.name, 'id-7'), documents(1)[7]);
      t.equal((await drained(found, spec.name)).length, DOCUMENTS + 1);
      const query = { where: { org: 'o' }, sort: { field: 'n', direction: 'asc' }, limit: 10 } as const;
      t.equal((await found.explain(spec.name, query)).fullScan, false);
      await t.rejects(found.insertUnique(spec.name, { id: 'second', key: 'k' }), ConflictError);
      const names = await found.collections();
      t.ok(names.includes(spec.name));
      t.notOk(names.includes(replacement));
    };
    await check(store);
    await store.bulkUpsert(spec.name, [{ id: 'id-7', rev: 2, org: 'o', n: -1 }]);
    await store.update(spec.name, documents(1)[7]!, 2);
    await check(await reopen());
  },

  'what is no replacement any more replaces nothing': async (t, makeStore) => {
    const spec = collection([]);
    const { store } = await makeStore(t, [spec]);
    await store.insertMissing(spec.name, [{ id: 'old' }]);
    const replacement = await filled(store, spec, 1);
    await store.drop([replacement]);
    await t.rejects(store.replace(spec.name, replacement), ConflictError);
    t.strictSame(await drained(store, spec.name), [{ id: 'old' }]);
    const second = await filled(store, spec, 2);
    await store.replace(spec.name, second);
    await t.rejects(store.replace(spec.name, second), ConflictError, 'nor a second time');
    t.equal(await store.count(spec.name), DOCUMENTS);
  },

  'a dropped collection is gone, and can be made again': async (t, makeStore) => {
    const spec = collection([{ fields: ['n'] }]);
    const { store, reopen } = await makeStore(t, [spec]);
    await store.insertMissing(spec.name, [{ id: 'a', n: 1 }]);
    await store.drop([spec.name, `never-${randomUUID()}`]);
    t.notOk((await store.collections()).includes(spec.name));
    await store.ensure([spec]);
    t.strictSame(await drained(store, spec.name), []);
    await store.insertMissing(spec.name, [{ id: 'a', n: 2 }]);
    t.strictSame(await (await reopen()).get(spec.name, 'a'), { id: 'a', n: 2 });
  },

  'readers and writers meet one or the other, whole, while collections are replaced': async (
    t,
    makeStore,
  ) => {
    const spec = collection([{ fields: ['org', 'n'] }]);
    const { store } = await makeStore(t, [spec]);
    await store.bulkUpsert(spec.name, documents(0));
    let ended = false;
    let reads = 0;
    const reading = (async () => {
      while (!ended) {
        const found = await store.find(spec.name, { where: { org: 'o' }, limit: 2 * DOCUMENTS });
        reads += 1;
        const makings = new Set(found.map((document) => document['making']));
        if (found.length !== DOCUMENTS || makings.size !== 1)
          throw new Error(`met ${found.length} documents of ${makings.size} makings`);
      }
    })();
    let written = 0;
    const writing = (async () => {
      for (; !ended; written += 1)
        await store.bulkUpsert(spec.name, [{ id: 'other', rev: written, org: 'p', n: written }]);
    })();
    for (let making = 1; making <= ROUNDS; making += 1)
      await store.replace(spec.name, await filled(store, spec, making));
    ended = true;
    await Promise.all([reading, writing]);
    t.ok(reads > 0 && written > 0);
    t.equal((await store.get(spec.name, 'id-0'))?.['making'], ROUNDS);
  },
};
