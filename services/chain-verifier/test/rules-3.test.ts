/** What rules 3 judge otherwise than rules 2; `docs/decisions/081-rules-3.md` gives the reasons. */
import assert from 'node:assert/strict';
import { ALERT_TYPES, type Attributes, type ChainRecord, type ClaimRecord } from '@sentinel-node/contracts';
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { anyStep } from './doubles/arbitraries.ts';
import {
  change,
  claim,
  dismiss,
  FILE,
  first,
  missing,
  report,
  reset,
  restamp,
  told,
  unchanged,
  version,
  wait,
  type Step,
  type Story,
} from './dsl/records.ts';
import { faultOf } from './dsl/recheck.ts';
import { given, Teller } from './dsl/story.ts';

const A = version('A');
const B = version('B', 120);
const C = version('C', 140);
const silent = { entries: [], alerts: [], events: [] };
const empty = (occurrences = 1) => ({
  entries: ['BREAK EMPTY'],
  alerts: [`EMPTY ACTIVE ${occurrences}`],
  events: occurrences === 1 ? ['ALERT {"type":"EMPTY"}'] : [],
});
/** A report made under configuration `configVersion`. */
const made = (configVersion: number) => ({ configVersion });

t.test('content that came after what the person saw is neither accepted nor made the baseline', async (t) => {
  for (const status of ['RESOLVED', 'DEACTIVATED'] as const) {
    const story = given({ modifiable: false }, first(A), unchanged(B), unchanged(C));
    const { head } = story.teller;
    t.equal(story.when(claim(status, 'UNEXPECTED_CHANGE', { seen: 1 })), 'nothing');
    t.equal(story.teller.head, head, 'the alert stays as it is');
    t.equal(story.teller.head.open.UNEXPECTED_CHANGE?.occurrences, 2);
    matchWhole(t, story.when(claim(status, 'UNEXPECTED_CHANGE', { seen: 2 })), {
      alerts: [`UNEXPECTED_CHANGE ${status} 2`],
    });
  }
});

t.test('a claim that saw as many or more occurrences has its effect', async (t) => {
  for (const seen of [1, 2]) {
    const story = given({}, first(A), unchanged(B));
    t.same(story.when(claim('DEACTIVATED', 'HASH_BREACH', { seen })), {
      entries: ['RESET B', 'BASELINE B'],
      alerts: ['HASH_BREACH DEACTIVATED 1'],
      events: [],
    });
  }
});

t.test('a claim without a number is judged as by rules 2', async (t) => {
  const story = given({}, first(A), unchanged(B), unchanged(C));
  matchWhole(t, story.when(claim('RESOLVED', 'HASH_BREACH', { seen: undefined })), {
    alerts: ['HASH_BREACH RESOLVED 2'],
  });
});

t.test('rules 2 do not look at the number', async (t) => {
  const teller = new Teller({}, FILE, 2);
  for (const step of [first(A), unchanged(B), unchanged(C)]) teller.tell(step);
  const record = teller.tell(claim('RESOLVED', 'HASH_BREACH', { seen: 1 }));
  t.same(
    record?.alerts.map(({ status }) => status),
    ['RESOLVED'],
  );
});

t.test('the alert of a deleted file that occurred again is not closed unseen either', async (t) => {
  const story = given({}, first(A), unchanged(B), unchanged(C), change({}, { deleted: true }));
  t.equal(story.when(claim('RESOLVED', 'HASH_BREACH', { seen: 1 })), 'nothing');
  matchWhole(t, story.when(claim('RESOLVED', 'HASH_BREACH', { seen: 2 })), {
    alerts: ['HASH_BREACH RESOLVED 2'],
  });
});

const claimSeeing = fc
  .tuple(
    fc.constantFrom('RESOLVED', 'DEACTIVATED' as const),
    fc.constantFrom('HASH_BREACH', 'EMPTY', 'HASH_BREACH_IN_REQ' as const),
    fc.integer({ min: 1, max: 3 }),
  )
  .map(
    ([status, type, seen]): Step =>
      (story) =>
        claim(status, type, { seen, note: `${seen}` })(story),
  );

t.test(
  'a view that shows an alert active with more than a claim saw proves that the claim has no effect, before or after it',
  async () => {
    const steps = fc.array(fc.oneof(anyStep, claimSeeing), { minLength: 1, maxLength: 60, size: 'max' });
    fc.assert(
      fc.property(steps, (all) => {
        const teller = new Teller();
        for (const step of all) teller.tell(step);
        const alerts = teller.published.flatMap((record) => record.alerts);
        for (const handled of alerts.filter(({ status }) => status !== 'ACTIVE')) {
          const seen = Number(handled.note);
          // The notes of other claims are no numbers: they saw all.
          if (Number.isNaN(seen)) continue;
          const shown = alerts.filter(({ id, status }) => id === handled.id && status === 'ACTIVE');
          for (const { occurrences } of shown) assert.ok(occurrences <= seen, 'handled, and more was shown');
        }
        assert.equal(faultOf(FILE, teller.published), undefined);
      }),
      { numRuns: 300 },
    );
  },
);

t.test('a new path that is missing alerts, also where the old path was missing', async (t) => {
  const moved = { path: '/srv/typo' };
  for (const handle of [dismiss('EMPTY'), reset('EMPTY')]) {
    const story = given({}, first(A), missing, handle, change(moved));
    t.same(story.when(report('MISSING', [], made(3))), silent, 'the old path is missing as before');
    t.same(story.when(report('MISSING', [], made(4))), empty());
    t.same(story.when(report('MISSING', [], made(4))), silent, 'already missing');
    t.same(story.when(report('FIRST', [B], made(4))), { ...silent, entries: ['BASELINE B'] });
    t.same(story.when(report('MISSING', [], made(4))), empty(2), 'missing after it was there');
  }
});

t.test('so it does when the report brings the new path itself', async (t) => {
  const story = given({}, first(A), missing, dismiss('EMPTY'), restamp({ path: '/srv/typo' }));
  t.same(story.when(missing), { ...empty(), entries: ['POLICY', 'BREAK EMPTY'] });
  t.same(story.when(missing), silent);
});

t.test('each further path is looked at anew', async (t) => {
  const story = given({}, first(A), missing, dismiss('EMPTY'), change({ path: '/srv/typo' }), missing);
  story.when(dismiss('EMPTY'));
  t.same(story.when(change({ path: '/srv/typo-2' })), { ...silent, entries: ['POLICY'] });
  t.same(story.when(missing), empty());
});

t.test('a file that was never there alerts again under its new path', async (t) => {
  const story = given({}, missing, dismiss('EMPTY'), change({ path: '/srv/typo' }));
  t.same(story.when(missing), empty());
});

t.test(
  'an old path that goes missing while the new one is awaited hides nothing of the new one',
  async (t) => {
    const story = given({}, first(A), change({ path: '/srv/typo' }), report('MISSING', [], made(3)));
    t.same(story.when(missing), empty(2));
    t.same(story.when(missing), silent);
  },
);

t.test('a missing file whose interval alone changed stays missing', async (t) => {
  const story = given({}, first(A), missing, dismiss('EMPTY'), change({ category: 'ADVANCED' }));
  t.same(story.when(missing), silent);
});

const PLAIN: Attributes = { kind: 'FILE', mode: '0644', owner: 0 };
const WATCHED = { modifiable: false, watchAttributes: true } as const;

t.test('a baseline takes the attributes that it brings, and no others', async (t) => {
  const story = given(WATCHED, report('FIRST', [A], { attributes: PLAIN }), missing, reset('EMPTY'));
  const { teller } = story;
  story.when(report('FIRST', [B], { attributes: { kind: 'FILE', mode: '0600' } }));
  t.same(teller.head.attributes, { kind: 'FILE', mode: '0600' });
  t.same(story.when(told(B, { kind: 'FILE', mode: '0600', owner: 7 })), silent);
  matchWhole(t, story.when(told(B, { kind: 'FILE', mode: '0600', owner: 8 })), {
    alerts: ['UNEXPECTED_CHANGE ACTIVE 1'],
  });
});

t.test('a late report of the old path tells nothing of the new one', async (t) => {
  for (const moved of [change({ path: '/other' }), restamp({ path: '/other' })]) {
    const story = given(WATCHED, report('FIRST', [A], { attributes: PLAIN }), moved);
    matchWhole(t, story.when(report('UNCHANGED', [A], { attributes: PLAIN, ...made(3) })), { alerts: [] });
    t.equal(story.teller.head.attributes, undefined);
    t.same(story.when(report('FIRST', [B], { attributes: { kind: 'FILE', mode: '0600' } })), {
      ...silent,
      entries: ['BASELINE B'],
    });
    t.same(story.when(told(B, { kind: 'FILE', mode: '0600', owner: 7 })), silent);
  }
});

t.test('a late report of the old path is still compared with what it told before', async (t) => {
  const story = given(WATCHED, report('FIRST', [A], { attributes: PLAIN }), restamp({ path: '/other' }));
  const late = report('UNCHANGED', [A], { attributes: { ...PLAIN, mode: '0666' }, ...made(3) });
  matchWhole(t, story.when(late), {
    entries: ['POLICY', 'BREAK UNEXPECTED_CHANGE A'],
    alerts: ['UNEXPECTED_CHANGE ACTIVE 1'],
  });
});

t.test('a path that changed before anything was judged awaits its own baseline', async (t) => {
  for (const moved of [{ path: '/other' }, { monitoringFrequency: 'FOLLOW' }] as const) {
    const story = given({ modifiable: false }, change(moved));
    t.same(story.when(report('FIRST', [A], made(3))), { ...silent, entries: ['BASELINE A'] });
    t.same(story.when(report('FIRST', [B], made(4))), { ...silent, entries: ['BASELINE B'] });
    matchWhole(t, story.when(unchanged(C)), { alerts: ['UNEXPECTED_CHANGE ACTIVE 1'] });
  }
});

t.test('another first change awaits none: a later content is judged', async (t) => {
  const story = given({ modifiable: true }, change({ modifiable: false }));
  t.same(story.when(report('FIRST', [A], made(3))), { ...silent, entries: ['BASELINE A'] });
  matchWhole(t, story.when(report('FIRST', [B], made(4))), { alerts: ['UNEXPECTED_CHANGE ACTIVE 1'] });
});

t.test('contact and check have the time at which the report was accepted', async (t) => {
  const hour = 3_600_000;
  const { teller } = given({}, first(A), wait(hour), unchanged(A), wait(-hour));
  const record = teller.tell(unchanged(A))!;
  t.equal(record.timestamp, teller.head.time, 'entries and alerts keep their order');
  t.same([record.file?.checkedAt, record.file?.contactAt], [teller.acceptedAtMs, teller.acceptedAtMs]);
  const failed = teller.tell(report('ERROR', []))!;
  t.same([failed.file?.checkedAt, failed.file?.contactAt], [teller.acceptedAtMs - 1000, teller.acceptedAtMs]);
});

/** No attributes, no other path or frequency, no clock that goes back, no claim that saw less than there is. */
const asBefore = anyStep.map((step): Step => (story) => {
  const before = story.policy;
  const made = step(story);
  const { path, monitoringFrequency } = story.policy;
  const isMoved = path !== before.path || monitoringFrequency !== before.monitoringFrequency;
  if (isMoved) story.policy = before;
  const text = new TextDecoder().decode(made?.body);
  return isMoved || text.includes('"attributes":') || isPassedOver(text, story) ? undefined : made;
});

function isPassedOver(text: string, story: Story): boolean {
  if (!text.startsWith('{"kind":"claim"')) return false;
  const { alertId, occurrences = Infinity } = JSON.parse(text) as ClaimRecord;
  return ALERT_TYPES.some(
    (type) => story.openAlert(type) === alertId && story.occurrencesOf(type) > occurrences,
  );
}

const withoutRules = (records: readonly ChainRecord[]) =>
  records.map(({ rules: _, ...record }) => JSON.stringify(record));

t.test('in all other cases rules 3 are rules 2', async () => {
  fc.assert(
    fc.property(fc.array(asBefore, { minLength: 1, maxLength: 40 }), (steps) => {
      const [two, three] = [2, 3].map((rules) => new Teller({}, FILE, rules));
      for (const step of steps) for (const teller of [two!, three!]) teller.tell(step);
      assert.deepEqual(withoutRules(three!.published), withoutRules(two!.published));
      assert.deepEqual(three!.head, two!.head);
    }),
    { numRuns: 200 },
  );
});
