import assert from 'node:assert/strict';
import { watchedDiffer, type Attributes, type ChainRecord } from '@sentinel-node/contracts';
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { anyStep } from './doubles/arbitraries.ts';
import {
  change,
  dismiss,
  FILE,
  first,
  missing,
  report,
  reset,
  told,
  unchanged,
  version,
  watch,
  type Step,
} from './dsl/records.ts';
import { faultOf } from './dsl/recheck.ts';
import { given, Teller } from './dsl/story.ts';

const A = version('A');
const B = version('B', 120);
const PLAIN: Attributes = {
  kind: 'FILE',
  mode: '0644',
  owner: 0,
  group: 0,
  size: 100,
  mtime: '2026-11-21T10:00:00.000Z',
  inode: 7,
};
const OPEN: Attributes = { ...PLAIN, mode: '0666' };
const WATCHED = { modifiable: false, watchAttributes: true } as const;
const begun: Step = report('FIRST', [A], { attributes: PLAIN });
const changesIn = (record: ChainRecord | undefined) => record?.alerts[0]?.attributeChanges;
const deviates = { entries: ['BREAK UNEXPECTED_CHANGE A'], alerts: ['UNEXPECTED_CHANGE ACTIVE 1'] };

t.test('other permissions of a watched file are an unexpected change, with both values', async (t) => {
  const { teller } = given(WATCHED, begun);
  const record = teller.tell(told(A, OPEN));
  matchList(t, record?.alerts, [
    {
      type: 'UNEXPECTED_CHANGE',
      status: 'ACTIVE',
      attributeChanges: [{ name: 'mode', before: '0644', after: '0666' }],
    },
  ]);
  matchList(t, record?.events, [{ type: 'ALERT' }]);
  t.match(record?.alerts[0]?.eventRequest, /"mode":"0666"/);
});

for (const [what, attributes] of Object.entries({
  'another owner': { ...PLAIN, owner: 1000 },
  'another group': { ...PLAIN, group: 1000 },
  'a link to the same content': { ...PLAIN, kind: 'LINK', linkTarget: '/tmp/a' },
} as const))
  t.test(`${what} is an unexpected change`, async (t) => {
    matchWhole(t, given(WATCHED, begun).when(told(A, attributes)), deviates);
  });

t.test('a link that leads elsewhere, to the same content, is an unexpected change', async (t) => {
  const link: Attributes = { ...PLAIN, kind: 'LINK', linkTarget: '/a' };
  const story = given(WATCHED, report('FIRST', [A], { attributes: link }));
  matchWhole(t, story.when(told(A, { ...link, linkTarget: '/b' })), deviates);
});

t.test('times, size, inode and extended attributes alone raise nothing', async (t) => {
  const others: Attributes = {
    ...PLAIN,
    mtime: '2026-11-22T10:00:00.000Z',
    inode: 8,
    xattrs: 'a'.repeat(64),
  };
  matchWhole(t, given(WATCHED, begun).when(told(A, others)), { entries: [], alerts: [] });
});

t.test('nothing is raised where nobody asked for it, or where the file may change', async (t) => {
  for (const policy of [{ modifiable: false }, { modifiable: true }]) {
    const { teller, when } = given(policy, begun);
    matchWhole(t, when(told(A, OPEN)), { entries: [], alerts: [] });
    t.equal(teller.head.attributes, undefined);
  }
});

t.test('an agent that tells no attributes is judged by content alone', async (t) => {
  const story = given(WATCHED, first(A));
  matchWhole(t, story.when(unchanged(A)), { entries: [], alerts: [] });
  matchWhole(t, story.when(told(A, OPEN)), { alerts: [] }, 'the first that are told are compared with none');
  matchWhole(t, story.when(unchanged(A)), { alerts: [] });
  matchWhole(t, story.when(told(A, PLAIN)), deviates, 'a report without any forgets none');
});

t.test('what a report leaves out stays known', async (t) => {
  const story = given(WATCHED, begun, told(A, { kind: 'FILE', owner: 0 }));
  matchWhole(t, story.when(told(A, OPEN)), deviates);
});

t.test('content comes first: one break, with what changed beside it', async (t) => {
  const { teller } = given(WATCHED, begun);
  const record = teller.tell(report('REPLACED', [A, B], { attributes: { ...OPEN, size: 120, inode: 9 } }));
  t.same(
    record?.entries.map(({ kind }) => kind),
    ['BREAK'],
  );
  t.same(changesIn(record), [
    { name: 'mode', before: '0644', after: '0666' },
    { name: 'size', before: '100', after: '120' },
    { name: 'inode', before: '7', after: '9' },
  ]);
  t.equal(teller.head.attributes?.mode, '0666', 'the next one is compared with these');
});

t.test('a further change counts, and the alert names each first and newest value', async (t) => {
  const { teller } = given(WATCHED, begun, told(A, OPEN));
  const owned = teller.tell(told(A, { ...OPEN, owner: 5 }));
  t.equal(owned?.alerts[0]?.occurrences, 2);
  t.same(changesIn(owned), [
    { name: 'mode', before: '0644', after: '0666' },
    { name: 'owner', before: '0', after: '5' },
  ]);
  const back = teller.tell(told(A, PLAIN));
  t.equal(back?.alerts[0]?.occurrences, 3);
  t.same(changesIn(back), [
    { name: 'mode', before: '0644', after: '0644' },
    { name: 'owner', before: '0', after: '0' },
  ]);
});

t.test('a target that is gone again is told as gone', async (t) => {
  const { teller } = given(WATCHED, begun, told(A, { ...PLAIN, kind: 'LINK', linkTarget: '/a' }));
  matchList(t, changesIn(teller.tell(told(A, PLAIN))), [
    { name: 'kind', before: 'FILE', after: 'FILE' },
    { name: 'linkTarget', before: null, after: null },
  ]);
});

t.test('the same attributes again are no further change', async (t) => {
  matchWhole(t, given(WATCHED, begun, told(A, OPEN)).when(told(A, OPEN)), { entries: [], alerts: [] });
});

t.test('dismissed or reset, the alert keeps what changed, and the next one starts anew', async (t) => {
  for (const handle of [dismiss, reset]) {
    const { teller } = given(WATCHED, begun, told(A, OPEN));
    t.same(changesIn(teller.tell(handle('UNEXPECTED_CHANGE'))), [
      { name: 'mode', before: '0644', after: '0666' },
    ]);
    t.strictSame(teller.tell(told(A, OPEN))?.alerts, []);
    const next = teller.tell(told(A, { ...OPEN, mode: '0600' }));
    t.same(changesIn(next), [{ name: 'mode', before: '0666', after: '0600' }]);
  }
});

t.test('a file that comes back with other permissions is an unexpected change', async (t) => {
  matchWhole(t, given(WATCHED, begun, missing).when(told(A, OPEN)), deviates);
});

t.test('a folder in its place is EMPTY, and the alert names the kind', async (t) => {
  const { teller } = given(WATCHED, begun);
  const record = teller.tell(report('MISSING', [], { attributes: { kind: 'FOLDER' } }));
  matchList(t, record?.alerts, [{ type: 'EMPTY' }]);
  t.same(changesIn(record), [{ name: 'kind', before: 'FILE', after: 'FOLDER' }]);
  t.strictSame(teller.tell(told(A, PLAIN))?.alerts, [], 'what is back is as it was');
});

t.test(
  'after another path or frequency, or while nobody watched, the next ones are a new start',
  async (t) => {
    for (const fields of [{ path: '/srv/other' }, { monitoringFrequency: 'FOLLOW' }] as const) {
      const story = given(WATCHED, begun, change(fields));
      matchWhole(t, story.when(report('FIRST', [A], { attributes: OPEN })), {
        entries: ['BASELINE A'],
        alerts: [],
      });
      matchWhole(t, story.when(told(A, PLAIN)), deviates);
    }
    matchWhole(t, given(WATCHED, begun, watch(false), watch(true)).when(told(A, OPEN)), { alerts: [] });
  },
);

t.test('what was changed while monitoring was off is found, and marked', async (t) => {
  const story = given(WATCHED, begun, change({ enabled: false }), change({ enabled: true }));
  matchWhole(t, story.when(told(A, OPEN)), { entries: ['BREAK UNEXPECTED_CHANGE A whileDisabled'] });
});

t.test('an error, a duplicate and a report out of sequence change no attributes', async (t) => {
  const { teller } = given(WATCHED, begun);
  const error = { code: 'EIO', message: 'x' };
  for (const step of [
    report('ERROR', [], { error, attributes: { kind: 'LINK' } }),
    report('UNCHANGED', [A], { attributes: OPEN, sequence: 1 }),
  ])
    t.strictSame(teller.tell(step)?.alerts, []);
  t.same(teller.head.attributes, PLAIN);
});

t.test('a report of the same sequence with other attributes is another report', async (t) => {
  const { teller } = given(WATCHED, begun);
  const again = report('UNCHANGED', [A], { attributes: OPEN, sequence: teller.sequence + 1 });
  const made = again(teller)!;
  teller.append(made);
  t.equal(teller.append(made), undefined, 'a duplicate');
  const text = new TextDecoder().decode(made.body).replace('"0666"', '"0600"');
  const other = teller.append({ ...made, body: new TextEncoder().encode(text) });
  matchList(t, other?.events, [{ note: /SEQUENCE_REUSED/ }]);
});

const withoutAttributes = anyStep.map((step): Step => (story) => {
  const made = step(story);
  return new TextDecoder().decode(made?.body).includes('"attributes":') ? undefined : made;
});

t.test('without attributes, rules 2 are rules 1', async () => {
  fc.assert(
    fc.property(fc.array(withoutAttributes, { minLength: 1, maxLength: 40 }), (steps) => {
      const [one, two] = [1, 2].map((rules) => new Teller({}, FILE, rules));
      for (const step of steps) for (const teller of [one!, two!]) teller.tell(step);
      const published = [one!, two!].map((teller) =>
        teller.published.map(({ rules: _, ...record }) => JSON.stringify(record)),
      );
      assert.deepEqual(published[0], published[1]);
      assert.deepEqual(one!.head, two!.head);
    }),
    { numRuns: 200 },
  );
});

const attributes: fc.Arbitrary<Attributes> = fc.record(
  {
    kind: fc.constantFrom('FILE', 'LINK'),
    linkTarget: fc.constantFrom('/a', '/b'),
    mode: fc.constantFrom('0600', '0644', '0666'),
    owner: fc.nat(1),
    group: fc.nat(1),
    inode: fc.nat(1),
  },
  { requiredKeys: ['kind', 'linkTarget', 'mode', 'owner', 'group', 'inode'] },
);

t.test(
  'each time that what is watched differs from the report before, and only then, there is a break',
  async () => {
    fc.assert(
      fc.property(fc.array(attributes, { minLength: 2, maxLength: 20 }), (all) => {
        const teller = new Teller(WATCHED);
        const breaks = all.map((one) =>
          teller.tell(told(A, one))!.entries.filter(({ kind }) => kind === 'BREAK'),
        );
        const expected = all.map((one, i) => (i > 0 && watchedDiffer(all[i - 1]!, one) ? 1 : 0));
        assert.deepEqual(
          breaks.map(({ length }) => length),
          expected,
        );
        assert.equal(faultOf(FILE, teller.published), undefined);
      }),
      { numRuns: 200 },
    );
  },
);
