/** Compares the pages of lists that are narrowed to some devices with a look at every document. */
import type { DocumentStore, Query } from '@sentinel-node/platform';
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { readPage, type PageQuery } from '../src/lists/page.ts';

interface Item {
  readonly id: string;
  readonly deviceId: string;
}

/** A store of these items that answers for one device, as its index does; counts what it gave. */
function storeOf(items: readonly Item[]) {
  const seen = { finds: 0, documents: 0 };
  const find = async (_: string, { where = {}, sort, limit }: Query): Promise<Item[]> => {
    const bounds = (where['id'] ?? {}) as { gt?: string; gte?: string; lt?: string };
    const found = items
      .filter(({ deviceId }) => deviceId === where['deviceId'])
      .filter(({ id }) => id > (bounds.gt ?? '') && id >= (bounds.gte ?? '') && id < (bounds.lt ?? '~'))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const page = (sort?.direction === 'desc' ? found.reverse() : found).slice(0, limit);
    seen.finds += 1;
    seen.documents += page.length;
    return page;
  };
  return { store: { find } as unknown as DocumentStore, seen };
}

const idOf = (n: number): string => String(n).padStart(8, '0');

async function allPages(
  items: readonly Item[],
  within: ReadonlySet<string>,
  query: PageQuery,
): Promise<string[]> {
  const { store } = storeOf(items);
  const source = { store, collection: 'items', where: {}, within };
  const found: string[] = [];
  for (let lastId: string | null | undefined; lastId !== null;) {
    const page: { items: readonly { id: string }[]; lastId: string | null } = await readPage(source, {
      ...query,
      ...(lastId === undefined ? {} : { lastId }),
    });
    found.push(...page.items.map(({ id }) => id));
    ({ lastId } = page);
  }
  return found;
}

t.test('pages of some devices are those of all documents without the other devices', async (t) => {
  const devices = ['a', 'b', 'c', 'd', 'e'];
  const items = fc
    .array(fc.constantFrom(...devices), { maxLength: 60 })
    .map((all) => all.map((deviceId, n): Item => ({ id: idOf(n), deviceId })));
  const order = fc.constantFrom('newest' as const, 'oldest' as const);
  await fc.assert(
    fc.asyncProperty(
      items,
      fc.subarray(devices),
      order,
      fc.integer({ min: 1, max: 20 }),
      async (all, some, order, limit) => {
        const within = new Set(some);
        const wanted = all.filter(({ deviceId }) => within.has(deviceId)).map(({ id }) => id);
        const found = await allPages(all, within, { order, limit });
        return found.join() === (order === 'oldest' ? wanted : wanted.reverse()).join();
      },
    ),
  );
  t.pass();
});

t.test('a page of many devices reads little more than it shows', async (t) => {
  const devices = Array.from({ length: 1_000 }, (_, n) => `d${n}`);
  const busy = Array.from({ length: 20_000 }, (_, n): Item => ({
    id: idOf(n + 1_000),
    deviceId: devices[n % 3]!,
  }));
  const quiet = devices.map((deviceId, n): Item => ({ id: idOf(n), deviceId }));
  const { store, seen } = storeOf([...quiet, ...busy]);
  const page = await readPage(
    { store, collection: 'items', where: {}, within: new Set(devices) },
    { limit: 200 },
  );
  t.strictSame(
    page.items.map(({ id }) => id),
    busy
      .slice(-200)
      .map(({ id }) => id)
      .reverse(),
  );
  t.ok(seen.documents < 2_000, `${seen.documents} documents`);
  t.ok(seen.finds < 1_300, `${seen.finds} finds`);
});
