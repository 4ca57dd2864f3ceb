import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { easyHash, easyHeaders } from '@sentinel-node/test-kit/fakes';
import {
  BestChain,
  BLOCK_HEADERS_COLLECTION,
  HEADERS_PER_DOCUMENT,
  StoredHeaders,
} from '../src/ledger/index.ts';
import { openDataFolder, openEmbeddedDocumentStore, type DocumentStore } from '../src/index.ts';

const { name } = BLOCK_HEADERS_COLLECTION;
const base = easyHeaders({ count: 500 });
const FIRST = 100;
const start = { network: 'regtest', checkpoint: { height: FIRST, hash: easyHash(base, 0) } };
const chainOf = (headers: Uint8Array): BestChain => {
  const chain = new BestChain(start);
  chain.offer(FIRST, headers);
  return chain;
};

/** One folder a test, because a second `testdir` would remove the first. */
const folders = new WeakMap<Test, string>();

async function openStore(t: Test): Promise<DocumentStore> {
  folders.set(t, folders.get(t) ?? t.testdir());
  const folder = openDataFolder(await mkdtemp(join(folders.get(t)!, 'data-')));
  const store = await openEmbeddedDocumentStore({ folder });
  t.teardown(async () => {
    await store.close();
    folder.release();
  });
  await store.ensure([BLOCK_HEADERS_COLLECTION]);
  return store;
}
type Calls = Pick<DocumentStore, 'scan' | 'bulkUpsert' | 'remove'>;
const standIn = (store: DocumentStore, instead: Partial<Calls>): Calls => ({
  scan: (collection) => store.scan(collection),
  bulkUpsert: (collection, documents) => store.bulkUpsert(collection, documents),
  remove: (collection, ids) => store.remove(collection, ids),
  ...instead,
});
async function loaded(store: DocumentStore) {
  const chain = new BestChain(start);
  const problem = await new StoredHeaders(store).load(chain);
  return { chain, problem };
}

t.test('what is saved is loaded, from the checkpoint to the newest', async (t) => {
  const store = await openStore(t);
  const chain = chainOf(base);
  await new StoredHeaders(store).save(chain, FIRST);
  t.equal(await store.count(name), Math.ceil((FIRST + 500) / HEADERS_PER_DOCUMENT));
  const { chain: again, problem } = await loaded(store);
  t.equal(problem, undefined);
  t.same(again.range(FIRST, again.height), base);
});

t.test('one new block writes one document', async (t) => {
  const store = await openStore(t);
  const chain = chainOf(base);
  const stored = new StoredHeaders(store);
  await stored.save(chain, FIRST);
  const written: string[][] = [];
  const counting = standIn(store, {
    bulkUpsert: async (collection, documents) => {
      written.push(documents.map(({ id }) => id));
      await store.bulkUpsert(collection, documents);
    },
  });
  const second = new StoredHeaders(counting);
  await second.load(new BestChain(start));
  chain.offer(600, easyHeaders({ count: 1, after: base.slice(-80) }));
  await second.save(chain, 600);
  t.same(written, [['0000000004']]);
  t.equal((await loaded(store)).chain.height, 600);
});

t.test(
  'a crash at any step of a reorganisation leaves a chain that loads, and the next save mends it',
  async (t) => {
    const branch = easyHeaders({ count: 460, salt: 1, after: base.slice(49 * 80, 50 * 80) });
    const after = Buffer.concat([base.slice(0, 50 * 80), branch]);
    let crashes = 0;
    for (let allowed = 0; ; allowed++) {
      const store = await openStore(t);
      const chain = chainOf(base);
      await new StoredHeaders(store).save(chain, FIRST);
      t.match(chain.offer(FIRST + 50, branch), { outcome: 'TAKEN' });
      let left = allowed;
      const step = (): void => {
        if (left-- === 0) throw new Error('crash');
      };
      const crashing = standIn(store, {
        // Writes document by document, as a store that is not atomic does.
        bulkUpsert: async (collection, documents) => {
          for (const document of documents) {
            step();
            await store.bulkUpsert(collection, [document]);
          }
        },
        remove: async (collection, ids) => {
          step();
          await store.remove(collection, ids);
        },
      });
      const stored = new StoredHeaders(crashing);
      await stored.load(new BestChain(start));
      const done = await stored.save(chain, FIRST + 50).then(
        () => true,
        () => false,
      );
      const { chain: kept } = await loaded(store);
      t.ok(kept.height >= FIRST + 42, `after ${allowed} writes the chain ends at ${kept.height}`);
      const again = new StoredHeaders(store);
      const mended = new BestChain(start);
      await again.load(mended);
      const from = mended.height + 1;
      t.match(mended.offer(FIRST, after), { outcome: done ? 'KEPT' : 'TAKEN' });
      await again.save(mended, Math.min(from, FIRST + 50));
      const { chain: whole, problem } = await loaded(store);
      t.equal(problem, undefined);
      t.same(whole.range(FIRST, whole.height), new Uint8Array(after));
      if (done) break;
      crashes += 1;
    }
    t.ok(crashes >= 4, `${crashes} crashes`);
  },
);

t.test('a chain that became shorter leaves nothing behind', async (t) => {
  const store = await openStore(t);
  const network = { ...start, network: 'recorded' };
  const chain = new BestChain(network);
  chain.offer(FIRST, base);
  const stored = new StoredHeaders(store);
  await stored.save(chain, FIRST);
  const hard = easyHeaders({ count: 8, after: base.slice(0, 80), bits: 0x1f7fffff });
  t.match(chain.offer(FIRST + 1, hard), { outcome: 'TAKEN' });
  await stored.save(chain, FIRST + 1);
  t.equal(await store.count(name), 1);
});

t.test('a stored header that was changed is found, and those before it are known', async (t) => {
  const store = await openStore(t);
  await new StoredHeaders(store).save(chainOf(base), FIRST);
  const document = (await store.get(name, '0000000002'))!;
  const headers = String(document['headers']);
  const at = 160 * 10 + 80;
  const changed = `${headers.slice(0, at)}${headers[at] === '0' ? '1' : '0'}${headers.slice(at + 1)}`;
  await store.bulkUpsert(name, [{ ...document, rev: document.rev! + 1, headers: changed }]);
  const { chain, problem } = await loaded(store);
  t.ok(problem!.height === 298 || problem!.height === 299, String(problem!.height));
  t.equal(chain.height, 287);
});

t.test('documents of another network or checkpoint are not loaded, and are replaced', async (t) => {
  const store = await openStore(t);
  await new StoredHeaders(store).save(chainOf(base), FIRST);
  const other = new BestChain({ ...start, network: 'test' });
  t.match(await new StoredHeaders(store).load(other), { problem: 'OTHER_CHAIN', height: FIRST });
  const later = { network: 'regtest', checkpoint: { height: 300, hash: easyHash(base, 200) } };
  const chain = new BestChain(later);
  const stored = new StoredHeaders(store);
  t.match(await stored.load(chain), { problem: 'OTHER_CHAIN' });
  chain.offer(300, base.slice(200 * 80));
  await stored.save(chain, 300);
  const again = new BestChain(later);
  t.equal(await new StoredHeaders(store).load(again), undefined);
  t.equal(again.height, 599);
});

t.test('a document that holds no headers is a problem, not an end', async (t) => {
  const store = await openStore(t);
  const document = { id: '0000000000', rev: 1, network: 'regtest', first: FIRST };
  for (const [rev, headers] of [
    [1, 'zz'],
    [2, '00'],
  ] as const) {
    await store.bulkUpsert(name, [{ ...document, rev, headers }]);
    t.match((await loaded(store)).problem, { problem: 'NOT_HEADERS', height: FIRST });
  }
});
