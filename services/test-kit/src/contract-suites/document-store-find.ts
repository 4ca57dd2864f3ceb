import type { Test } from 'tap';
import { LIMITS } from '@sentinel-node/contracts';
import type { DocumentStore, Query } from '@sentinel-node/platform';
import { KINDS, MATCHES, UUID } from './condition-table.ts';
import { collection, drained } from './store-harness.ts';
import type { MakeStore } from './harness.ts';

const ORG = UUID;
const OTHER = '0194b2c0-0000-7000-8000-000000000002';

const INDEXES = [
  { fields: ['org', 'id'] },
  { fields: ['org', 'time'] },
  { fields: ['org', 'status', 'time'] },
  { fields: ['time'] },
  { fields: ['email'], unique: true, sparse: true },
] as const;

/** Returns whether every planner uses an index for the query. */
const isSimple = ({ where = {} }: Partial<Query>): boolean =>
  ['org', 'time'].includes(Object.keys(where).join(' '));

async function ids(store: DocumentStore, name: string, query: Partial<Query>): Promise<string> {
  const found = await store.find(name, { limit: 100, ...query });
  return found.map(({ id }) => id).join(' ');
}

export const findCases: Readonly<Record<string, (t: Test, makeStore: MakeStore) => Promise<void>>> = {
  'every condition, with and without an index on the field': async (t, makeStore) => {
    const plain = collection([]);
    const ordered = collection([{ fields: ['v'] }]);
    const leading = collection([{ fields: ['v', 'w'] }]);
    const both = collection([{ fields: ['v', 'w'] }, { fields: ['w', 'v'] }]);
    const specs = { plain, ordered, leading, both };
    const { store } = await makeStore(t, Object.values(specs));
    for (const [kind, { name }] of Object.entries(specs)) {
      await store.insertMissing(name, KINDS);
      for (const [condition, wanted] of MATCHES) {
        const where = { v: condition };
        const title = `${kind}: ${JSON.stringify(condition)}`;
        t.equal(await ids(store, name, { where }), wanted, title);
        t.equal(
          await store.count(name, where),
          wanted === '' ? 0 : wanted.split(' ').length,
          `count ${title}`,
        );
      }
      t.equal(await ids(store, name, { where: { v: 1, id: 'n1' } }), 'n1');
      t.equal(await ids(store, name, { where: { v: 1, id: 'n0' } }), '', 'all conditions hold');
    }
  },

  'sorted both ways, ties by id in the same direction': async (t, makeStore) => {
    const spec = collection(INDEXES);
    const { store } = await makeStore(t, [spec]);
    const times = [3, 1, 2, 2, 1, 3, 2];
    await store.insertMissing(
      spec.name,
      times.map((time, n) => ({ id: `d${n}`, org: n === 0 ? OTHER : ORG, time, plain: String(time) })),
    );
    for (const field of ['time', 'plain']) {
      const sorted = (direction: 'asc' | 'desc', limit = 100) =>
        ids(store, spec.name, { where: { org: ORG }, sort: { field, direction }, limit });
      t.equal(await sorted('asc'), 'd1 d4 d2 d3 d6 d5');
      t.equal(await sorted('desc'), 'd5 d6 d3 d2 d4 d1');
      t.equal(await sorted('desc', 3), 'd5 d6 d3');
    }
    t.equal(await ids(store, spec.name, {}), 'd0 d1 d2 d3 d4 d5 d6');
    t.equal(await ids(store, spec.name, { sort: { field: 'id', direction: 'desc' }, limit: 2 }), 'd6 d5');
  },

  'values sort as null, numbers, strings, booleans': async (t, makeStore) => {
    const spec = collection([{ fields: ['v'] }]);
    const { store } = await makeStore(t, [spec]);
    const values = [true, 'b', 10, 'B', false, 9, undefined, -2.5];
    await store.insertMissing(
      spec.name,
      values.map((v, n) => ({ id: `d${n}`, v, w: v })),
    );
    for (const field of ['v', 'w'])
      t.equal(await ids(store, spec.name, { sort: { field, direction: 'asc' } }), 'd6 d7 d5 d2 d3 d1 d4 d0');
  },

  'an organisation pages by id, both ways': async (t, makeStore) => {
    const spec = collection(INDEXES);
    const { store } = await makeStore(t, [spec]);
    const wanted = Array.from({ length: 95 }, (_, n) => `id-${String(n).padStart(3, '0')}`);
    await store.insertMissing(spec.name, [
      ...wanted.map((id) => ({ id, org: ORG })),
      ...wanted.map((id) => ({ id: `${id}-other`, org: OTHER })),
    ]);
    for (const direction of ['asc', 'desc'] as const) {
      const found: string[] = [];
      for (;;) {
        const last = found.at(-1);
        const id = last === undefined ? {} : { id: direction === 'asc' ? { gt: last } : { lt: last } };
        const query = { where: { org: ORG, ...id }, sort: { field: 'id', direction }, limit: 20 };
        const page = await store.find(spec.name, query);
        if (page.length === 0) break;
        found.push(...page.map((document) => document.id));
      }
      t.same(found, direction === 'asc' ? wanted : wanted.toReversed());
    }
  },

  'contains ignores case, within an indexed equality only': async (t, makeStore) => {
    const spec = collection(INDEXES);
    const { store } = await makeStore(t, [spec]);
    const names = ['Straße.LOG', 'ÄRGER.txt', 'ärger.bin', '100%_done', 'app.log'];
    await store.insertMissing(
      spec.name,
      names.map((name, n) => ({ id: `d${n}`, org: ORG, name })),
    );
    await store.insertMissing(spec.name, [
      { id: 'other', org: OTHER, name: 'app.log' },
      { id: 'none', org: ORG },
    ]);
    const search = (needle: string) =>
      ids(store, spec.name, { where: { org: ORG, name: { contains: needle } } });
    t.equal(await search('.log'), 'd0 d4');
    t.equal(await search('Ärger'), 'd1 d2');
    t.equal(await search('%_'), 'd3');
    t.equal(await search('_'), 'd3');
    t.equal(await search("'"), '');
    t.equal(await store.count(spec.name, { org: ORG, name: { contains: 'LOG' } }), 2);
    const refused = { code: 'QUERY_REFUSED' };
    await t.rejects(ids(store, spec.name, { where: { name: { contains: 'x' } } }), refused);
    await t.rejects(ids(store, spec.name, { where: { name: { contains: 'x' }, status: 'A' } }), refused);
    await t.rejects(store.count(spec.name, { name: { contains: 'x' } }), refused);
  },

  'a limit out of bounds is refused': async (t, makeStore) => {
    const spec = collection([]);
    const { store } = await makeStore(t, [spec]);
    for (const limit of [0, -1, 1.5, LIMITS.findDocuments + 1, Number.NaN])
      await t.rejects(store.find(spec.name, { limit }), { code: 'QUERY_REFUSED' });
    t.same(await store.find(spec.name, { limit: LIMITS.findDocuments }), []);
  },

  'no query that an index is declared for looks at every document': async (t, makeStore) => {
    const spec = collection(INDEXES);
    const { store, planner } = await makeStore(t, [spec]);
    const documents = Array.from({ length: 500 }, (_, n) => ({
      id: `d${n}`,
      org: n % 50 === 0 ? ORG : OTHER,
      status: n % 2 === 0 ? 'ACTIVE' : 'RESOLVED',
      time: n,
      email: `p${n}@example.org`,
    }));
    await store.insertMissing(spec.name, documents);
    const served: Partial<Query>[] = [
      { where: { id: 'd1' } },
      { where: { id: { gt: 'd1' } } },
      { where: { org: ORG }, sort: { field: 'id', direction: 'desc' } },
      { where: { org: ORG, id: { lt: 'd3' } }, sort: { field: 'id', direction: 'desc' } },
      { where: { org: ORG }, sort: { field: 'time', direction: 'asc' } },
      { where: { org: ORG, time: { gte: 10, lt: 100 } } },
      { where: { org: ORG, status: 'ACTIVE' }, sort: { field: 'time', direction: 'desc' } },
      { where: { org: { in: [ORG, OTHER] } } },
      { where: { email: 'p7@example.org' } },
      { where: { time: { gt: 490 } } },
      { where: { org: ORG, email: { contains: 'P7' } } },
      {},
    ];
    const planned = planner === 'simple' ? served.filter(isSimple) : served;
    t.ok(planned.length > 3);
    for (const query of planned) {
      const { fullScan, detail } = await store.explain(spec.name, { limit: 10, ...query });
      t.notOk(fullScan, `${JSON.stringify(query)}: ${detail}`);
    }
    for (const where of [{ other: 1 }, { status: 'ACTIVE' }]) {
      const { fullScan, detail } = await store.explain(spec.name, { where, limit: 10 });
      t.ok(fullScan, `${JSON.stringify(where)}: ${detail}`);
    }
  },

  'a scan gives everything, by id': async (t, makeStore) => {
    const spec = collection([]);
    const { store } = await makeStore(t, [spec]);
    const documents = Array.from({ length: 2_500 }, (_, n) => ({ id: `d${(n * 7_919) % 10_007}`, n }));
    await store.insertMissing(spec.name, documents);
    const found = await drained(store, spec.name);
    t.same(
      found.map(({ id }) => id),
      documents.map(({ id }) => id).sort(),
    );
    t.equal(await store.count(spec.name), 2_500);
  },

  'indexes declared later serve what is there already': async (t, makeStore) => {
    const spec = collection([{ fields: ['org', 'time'] }]);
    const { store, planner } = await makeStore(t, [spec]);
    await store.insertMissing(spec.name, [
      { id: 'a', org: ORG, time: 1, name: 'x' },
      { id: 'b', org: ORG, time: 2 },
    ]);
    const grown = {
      ...spec,
      indexes: [...spec.indexes, { fields: ['name'], unique: true, sparse: true }, { fields: ['org'] }],
    };
    await store.ensure([grown]);
    await store.ensure([grown]);
    t.equal(await ids(store, spec.name, { where: { name: 'x' } }), 'a');
    const where = planner === 'simple' ? { org: ORG } : { name: 'x' };
    t.equal((await store.explain(spec.name, { where, limit: 1 })).fullScan, false);
    await t.rejects(store.insertUnique(spec.name, { id: 'c', name: 'x' }), { code: 'CONFLICT' });
    await store.insertUnique(spec.name, { id: 'd', org: ORG });
    t.equal(await store.count(spec.name, { org: ORG }), 3);
  },
};
