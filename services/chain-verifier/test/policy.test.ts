import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import {
  change,
  first,
  missing,
  notice,
  report,
  reset,
  restamp,
  unchanged,
  version,
  wait,
} from './dsl/records.ts';
import { given, Teller } from './dsl/story.ts';

const A = version('A');
const B = version('B', 120);
const C = version('C', 140);
const silent = { entries: [], alerts: [], events: [] };
const entries = (...words: string[]) => ({ ...silent, entries: words });
const breach = (label: string) => ({
  entries: [`BREAK HASH_BREACH ${label}`],
  alerts: ['HASH_BREACH ACTIVE 1'],
  events: ['ALERT {"type":"HASH_BREACH"}'],
});
/** A report made under configuration `configVersion`. */
const made = (configVersion: number) => ({ configVersion });

t.test('GENESIS comes with the first record that is judged, whatever it says', async (t) => {
  t.same(given({}).when(change({})), entries('GENESIS'));
  t.same(given({}).when(report('ERROR', [])).valueOf(), {
    entries: ['GENESIS'],
    alerts: [],
    events: ['AGENT_ERROR {"code":"UNKNOWN","message":""}'],
  });
  t.same(given({}, change({})).when(first(A)), entries('BASELINE A'));
  const { teller } = given({}, first(A));
  t.equal(teller.published[0]?.entries[0]?.child, teller.published[0]?.deviceId);
});

t.test(
  'the first record with a higher version and other fields appends POLICY, later ones nothing',
  async (t) => {
    const byRecord = given({}, first(A));
    t.same(byRecord.when(change({ category: 'ADVANCED' })), entries('POLICY'));
    t.same(byRecord.when(unchanged(A)), silent);
    const byReport = given({}, first(A), restamp({ modifiable: false }));
    t.same(byReport.when(unchanged(A)), entries('POLICY'));
    t.equal(byReport.when(change({ configVersion: byReport.teller.policy.configVersion })), 'nothing');
  },
);

t.test('a higher version with the same fields appends nothing and counts from then on', async (t) => {
  const story = given({}, first(A));
  t.same(story.when(change({})), silent);
  t.equal(story.teller.head.policy?.configVersion, 4);
  t.same(story.when(unchanged(A)), silent);
});

t.test('a lower version is replaced by the policy of the head', async (t) => {
  const story = given({}, first(A), change({ modifiable: false }));
  story.teller.policy = { ...story.teller.policy, configVersion: 3, modifiable: true };
  t.same(story.when(report('REPLACED', [A, B])), {
    entries: ['BREAK UNEXPECTED_CHANGE B'],
    alerts: ['UNEXPECTED_CHANGE ACTIVE 1'],
    events: ['ALERT {"type":"UNEXPECTED_CHANGE"}'],
  });
});

t.test('the switch alone is ENABLED or DISABLED; with other fields both entries come', async (t) => {
  const story = given({}, first(A));
  t.same(story.when(change({ enabled: false })), entries('DISABLED'));
  t.same(story.when(change({ enabled: true })), entries('ENABLED'));
  t.same(story.when(change({ enabled: false, category: 'ADVANCED' })), entries('POLICY', 'DISABLED'));
});

t.test('a changed path awaits a baseline from a report of that configuration', async (t) => {
  for (const changed of [{ path: '/other' }, { monitoringFrequency: 'FOLLOW' }] as const) {
    const story = given({}, first(A), change(changed));
    t.same(story.when(report('APPENDED', [A, B], made(3))), entries('LINK B'), 'an older one as before');
    t.same(story.when(report('REPLACED', [C], made(3))), breach('C'), 'an older one as before');
    t.same(story.when(report('FIRST', [A], made(4))), entries('BASELINE A'));
    t.same(story.when(report('APPENDED', [A, B], made(4))), entries('LINK B'), 'awaited once');
  }
});

t.test('without a version of its own a report has the stamped one', async (t) => {
  const story = given({}, first(A), change({ path: '/other' }));
  t.same(story.when(report('FIRST', [B])), entries('BASELINE B'));
  const restamped = given({}, first(A), restamp({ path: '/other' }));
  t.same(restamped.when(report('FIRST', [B])), entries('POLICY', 'BASELINE B'));
});

t.test('an awaited baseline needs a version', async (t) => {
  const story = given({}, first(A), change({ path: '/other' }));
  t.same(story.when(missing), {
    entries: ['BREAK EMPTY'],
    alerts: ['EMPTY ACTIVE 1'],
    events: ['ALERT {"type":"EMPTY"}'],
  });
  t.same(story.when(first(B)), entries('BASELINE B'));
});

t.test('a first version of the old path does not end the wait', async (t) => {
  const story = given({}, change({}), change({ path: '/other' }));
  t.same(story.when(report('FIRST', [A], made(4))), entries('BASELINE A'));
  t.same(story.when(report('FIRST', [B], made(5))), entries('BASELINE B'));
});

t.test('enabling again judges the difference and says whileDisabled, once', async (t) => {
  const off = [first(A), change({ enabled: false }), wait(60_000), change({ enabled: true })];
  const linked = given({}, ...off);
  t.same(linked.when(report('APPENDED', [A, B])), entries('LINK B whileDisabled'));
  t.same(linked.when(report('APPENDED', [B, C])), entries('LINK C'));
  const broken = given({}, ...off);
  t.same(broken.when(unchanged(B)), { ...breach('B'), entries: ['BREAK HASH_BREACH B whileDisabled'] });
  const gone = given({}, ...off);
  t.same(gone.when(missing).valueOf(), {
    entries: ['BREAK EMPTY whileDisabled'],
    alerts: ['EMPTY ACTIVE 1'],
    events: ['ALERT {"type":"EMPTY"}'],
  });
  const same = given({}, ...off, unchanged(A));
  t.same(same.when(report('APPENDED', [A, B])), entries('LINK B'), 'the first look found nothing');
});

t.test('a report made before the switch says nothing of the time while disabled', async (t) => {
  const story = given({}, first(A), change({ enabled: false }), change({ enabled: true }));
  t.same(story.when(report('APPENDED', [A, B], made(3))), entries('LINK B'));
  t.same(story.when(report('APPENDED', [B, C], made(5))), entries('LINK C whileDisabled'));
});

t.test('deleting ends the chain', async (t) => {
  const story = given({}, first(A), unchanged(B));
  t.same(story.when(change({ enabled: false }, { deleted: true })), entries('DELETED'));
  t.equal(story.when(unchanged(A)), 'nothing');
  t.equal(story.when(change({ enabled: true })), 'nothing');
  t.same(story.when(reset('HASH_BREACH')), { ...silent, alerts: ['HASH_BREACH DEACTIVATED 1'] }, 'no entry');
  t.equal(story.teller.head.number, 3);
  t.same(given({}).when(change({}, { deleted: true })), entries('GENESIS', 'DELETED'));
});

t.test('notices become events, without a chain', async (t) => {
  const story = given({}, first(A));
  const malformed = { ...silent, events: ['MALFORMED_DATA {"code":"VALIDATION_FAILED","message":"m"}'] };
  t.same(story.when(notice('MALFORMED_DATA', 'VALIDATION_FAILED')), malformed);
  const again = story.teller.log.at(-1)!;
  t.equal(story.teller.append(again), undefined, 'appended twice');
  t.same(given({}).when(notice('MALFORMED_DATA', 'VALIDATION_FAILED')), malformed, 'before the first report');
});

t.test('a notice of a device has the device as its key and no file', async (t) => {
  const teller = new Teller();
  const record = teller.tell(notice('AGENT_ERROR', 'TWO_AGENTS', true));
  matchWhole(t, record, { fileId: null, file: null, rev: 1, entries: [], category: 'STANDARD' });
  t.equal(teller.log[0]?.key, record?.deviceId);
});
