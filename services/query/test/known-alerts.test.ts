/** Compares filters, counts and groups in memory with a search of every alert. */
import { COUNTED_FILTERS, NOBODY, type AlertFilter } from '@sentinel-node/contracts';
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { type AlertFacts, isWanted } from '../src/alerts/alert-facts.ts';
import { KnownAlerts } from '../src/alerts/known-alerts.ts';

const pick = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const factsOf = fc.record({
  id: fc.integer({ min: 0, max: 40 }).map((n) => String(n).padStart(4, '0')),
  status: pick('ACTIVE', 'RESOLVED', 'DEACTIVATED'),
  type: pick('EMPTY', 'HASH_BREACH'),
  category: pick('STANDARD', 'ADVANCED'),
  deviceId: pick('d1', 'd2'),
  fileId: pick('f1', 'f2', 'f3'),
  handledBy: pick('u1', null),
  assignee: pick('u1', 'u2', NOBODY),
  contentHash: pick('h1', 'h2', null),
  planned: pick('yes', 'no'),
  window: pick('w1', null),
  expected: pick('yes', 'no'),
  list: pick('l1', null),
  deviceLabels: pick('env:prod\nsite:graz', 'site:graz', null),
  fileLabels: pick('team:web', null),
  deviceRev: pick(1),
}) satisfies fc.Arbitrary<AlertFacts>;
const filterOf: fc.Arbitrary<AlertFilter> = fc.record(
  {
    status: pick('ACTIVE', 'RESOLVED'),
    type: pick('EMPTY', 'HASH_BREACH'),
    category: pick('STANDARD', 'ADVANCED'),
    deviceId: pick('d1', 'd2'),
    fileId: pick('f1', 'f2'),
    handledBy: pick('u1'),
    assignee: pick('u1', NOBODY),
    contentHash: pick('h1', 'h2'),
    planned: pick('yes', 'no'),
    window: pick('w1'),
    expected: pick('yes'),
    label: pick('env:prod', 'site:graz', 'team:web', 'site:gr'),
  },
  { requiredKeys: [] },
);
const bounds = { gte: '0003', lt: '0038' };

const newestFirst = (all: readonly AlertFacts[]): AlertFacts[] => {
  const last = new Map(all.map((facts) => [facts.id, facts]));
  return [...last.values()]
    .filter(({ id }) => id >= bounds.gte && id < bounds.lt)
    .sort((a, b) => (a.id < b.id ? 1 : -1));
};
const fits = (facts: AlertFacts, filter: AlertFilter, except?: string): boolean =>
  Object.entries(filter).every(([key, value]) => {
    if (key === except) return true;
    if (key !== 'label') return facts[key as keyof AlertFacts] === value;
    return [facts.deviceLabels, facts.fileLabels].some((lines) => lines?.split('\n').includes(value));
  });

t.test('pages, counts and groups are those of all alerts, in whichever order they came', async (t) => {
  fc.assert(
    fc.property(fc.array(factsOf, { maxLength: 60 }), filterOf, (all, filter) => {
      const known = new KnownAlerts();
      for (const facts of all) known.take([facts]);
      for (const facts of all) t.equal(isWanted(facts, filter), fits(facts, filter));
      const present = newestFirst(all);
      const wanted = present.filter((facts) => fits(facts, filter));
      t.strictSame(
        known.ids(filter, bounds, 5),
        wanted.slice(0, 5).map(({ id }) => id),
      );
      const oldest = wanted.map(({ id }) => id).reverse();
      t.strictSame(known.ids(filter, bounds, 5, 'oldest'), oldest.slice(0, 5));
      for (const gt of ['0009', '00095'])
        t.strictSame(
          known.ids(filter, { gt, lt: bounds.lt }, 99, 'oldest'),
          oldest.filter((id) => id > gt),
        );
      const { alerts, values } = known.count(filter, bounds);
      t.equal(alerts, wanted.length);
      for (const key of COUNTED_FILTERS) {
        const expected = new Map<string, number>();
        for (const facts of present.filter((one) => fits(one, filter, key)))
          if (facts[key] !== null) expected.set(facts[key], (expected.get(facts[key]) ?? 0) + 1);
        t.strictSame([...values[key]].sort(), [...expected].sort(), key);
      }
      const { groups, total } = known.groups(filter, bounds, 'CHANGE', { skip: 0, limit: 99 });
      t.equal(total, groups.length);
      const second = known.groups(filter, bounds, 'CHANGE', { skip: 1, limit: 1 });
      t.strictSame(second, { groups: groups.slice(1, 2), total });
      const withContent = wanted.filter(({ contentHash }) => contentHash !== null);
      t.equal(
        groups.reduce((sum, group) => sum + group.alerts, 0),
        withContent.length,
      );
      for (const group of groups) {
        const own = wanted.filter(({ contentHash }) => contentHash === group.key);
        t.equal(group.newest, own[0]?.id);
        t.equal(group.active, own.filter(({ status }) => status === 'ACTIVE').length);
        t.equal(group.files, new Set(own.map(({ fileId }) => fileId)).size);
        t.equal(group.devices, new Set(own.map(({ deviceId }) => deviceId)).size);
      }
      const sizes = groups.map((group) => group.alerts);
      t.strictSame(
        sizes,
        [...sizes].sort((a, b) => b - a),
        'largest first',
      );
    }),
  );
});

t.test('the alerts of a device follow its category and its labels', async (t) => {
  const known = new KnownAlerts();
  const facts: AlertFacts = {
    id: '1',
    status: 'ACTIVE',
    type: 'EMPTY',
    category: 'STANDARD',
    deviceId: 'd1',
    fileId: 'f1',
    handledBy: null,
    assignee: NOBODY,
    contentHash: null,
    planned: 'no',
    window: null,
    expected: 'no',
    list: null,
    deviceLabels: null,
    fileLabels: null,
    deviceRev: 3,
  };
  known.take([facts, { ...facts, id: '2', deviceId: 'd2', fileId: 'f2' }]);
  const changed = { category: 'ADVANCED', deviceLabels: 'site:graz', deviceRev: 4 } as const;
  known.setDevice('d1', changed);
  known.setDevice('of no alert', changed);
  known.setFileLabels(
    new Map([
      ['f2', 'team:web'],
      ['of no alert', 'team:db'],
    ]),
  );
  t.strictSame(known.ids({ category: 'ADVANCED' }, {}, 9), ['1']);
  t.strictSame(known.ids({ label: 'site:graz' }, {}, 9), ['1']);
  t.strictSame(known.ids({ label: 'team:web' }, {}, 9), ['2']);
  t.strictSame(known.ids({ label: 'team:db' }, {}, 9), []);
  t.strictSame(
    [known.deviceRev('d1'), known.deviceRev('d2'), known.deviceRev('of no alert')],
    [4, 3, undefined],
  );
  t.strictSame([...known.filesOf('d2')], ['f2']);
  known.setFileLabels(new Map([['f2', null]]));
  t.strictSame(known.ids({ label: 'team:web' }, {}, 9), []);
});
