import t from 'tap';
import {
  change,
  claim,
  dismiss,
  first,
  missing,
  PERSON,
  report,
  reset,
  unchanged,
  version,
} from './dsl/records.ts';
import { given, inWords } from './dsl/story.ts';

const A = version('A');
const B = version('B', 120);
const C = version('C', 140);
const silent = { entries: [], alerts: [], events: [] };
const breach = (label: string, occurrences = 1) => ({
  entries: [`BREAK HASH_BREACH ${label}`],
  alerts: [`HASH_BREACH ACTIVE ${occurrences}`],
  events: occurrences === 1 ? ['ALERT {"type":"HASH_BREACH"}'] : [],
});

t.test('the comparison goes on from what was reported: the same state does not alert twice', async (t) => {
  const story = given({}, first(A), unchanged(B));
  t.same(story.when(unchanged(B)), silent);
  t.same(story.when(report('APPENDED', [B, C])), { ...silent, entries: ['LINK C'] });
});

t.test('a further deviation is counted on the open alert, with its own BREAK', async (t) => {
  const story = given({}, first(A), unchanged(B));
  const raised = story.teller.published.at(-1)!;
  t.same(story.when(unchanged(A)), breach('A', 2));
  const counted = story.teller.published.at(-1)!;
  t.match(counted.alerts[0], {
    id: raised.alerts[0]!.id,
    hashId: raised.entries[0]!.id,
    breakNumber: raised.entries[0]!.number,
    timestamp: raised.timestamp,
    lastTimestamp: counted.timestamp,
  });
  t.equal(counted.entries[0]?.alertId, raised.alerts[0]?.id);
  t.equal(counted.alerts[0]?.eventRequest, undefined, 'only the record that raised it carries the report');
});

t.test('alerts of different types are open side by side', async (t) => {
  const story = given({}, first(A), unchanged(B), missing, report('FIRST', [B, B]));
  t.equal(story.teller.published.at(-1)?.file?.activeAlerts, 3);
  t.same(story.when(unchanged(A)), breach('A', 2));
});

t.test('the alert carries the report as it came', async (t) => {
  const { teller } = given({}, first(A), unchanged(B));
  const text = new TextDecoder().decode(teller.log.at(-1)!.body).split('\n')[1];
  t.equal(teller.published.at(-1)?.alerts[0]?.eventRequest, text);
});

t.test('the event names the alert and its link', async (t) => {
  const { teller } = given({}, first(A), unchanged(B));
  const { alerts, entries, events } = teller.published.at(-1)!;
  t.equal(events[0]?.alertId, alerts[0]?.id);
  t.equal(events[0]?.hashId, entries[0]?.id);
  const ids = [alerts[0]!.id, entries[0]!.id, events[0]!.id];
  t.equal(new Set(ids).size, 3);
});

t.test('dismiss: RESOLVED, the chain goes on', async (t) => {
  const story = given({}, first(A), unchanged(B));
  t.same(story.when(dismiss('HASH_BREACH')), {
    entries: ['DISMISSED'],
    alerts: ['HASH_BREACH RESOLVED 1'],
    events: [],
  });
  const handled = story.teller.published.at(-1)!;
  t.match(handled.alerts[0], {
    overrideUser: PERSON,
    overrideUserEmail: 'ada@example.org',
    note: 'expected',
    handledAt: handled.timestamp,
  });
  t.match(handled.entries[0], { causeNumber: 2, actor: PERSON, alertId: handled.alerts[0]!.id });
  t.same(story.when(report('APPENDED', [B, C])), { ...silent, entries: ['LINK C'] });
  t.same(story.when(unchanged(A)), breach('A'), 'the type is raised anew');
  t.not(story.teller.published.at(-1)?.alerts[0]?.id, handled.alerts[0]?.id);
});

t.test('reset: DEACTIVATED, and at once a baseline of the last reported version', async (t) => {
  const story = given({}, first(A), unchanged(B));
  t.same(story.when(reset('HASH_BREACH')), {
    entries: ['RESET B', 'BASELINE B'],
    alerts: ['HASH_BREACH DEACTIVATED 1'],
    events: [],
  });
  const [, baseline] = story.teller.published.at(-1)!.entries;
  t.match(baseline, { firstHash: true, length: 120 });
  t.notMatch(baseline, { sequence: Number });
  t.same(story.when(unchanged(B)), silent);
});

t.test('reset of a missing file: the next version becomes the baseline', async (t) => {
  const story = given({}, first(A), missing);
  t.same(story.when(reset('EMPTY')), {
    entries: ['RESET A'],
    alerts: ['EMPTY DEACTIVATED 1'],
    events: [],
  });
  t.same(story.when(missing), silent, 'still missing');
  t.same(story.when(report('REPLACED', [A, B])), { ...silent, entries: ['BASELINE B'] });
  t.same(story.when(unchanged(A)), breach('A'));
  t.same(given({}, missing, reset('EMPTY')).when(first(A)), { ...silent, entries: ['BASELINE A'] });
});

t.test('reset while missing does not end the wait for a changed path', async (t) => {
  const old = { configVersion: 3 };
  const story = given({}, first(A), change({ path: '/other' }), report('MISSING', [], old), reset('EMPTY'));
  t.same(story.when(report('FIRST', [A], old)), { ...silent, entries: ['BASELINE A'] });
  t.same(story.when(first(B)), { ...silent, entries: ['BASELINE B'] });
});

t.test('a claim that comes twice, or for an alert that is not active, gives nothing', async (t) => {
  const story = given({}, first(A), unchanged(B), dismiss('HASH_BREACH'));
  t.equal(story.teller.append(story.teller.log.at(-1)!), undefined);
  t.equal(story.when(claim('RESOLVED', 'EMPTY')), 'nothing');
  t.equal(given({}).when(claim('RESOLVED', 'EMPTY')), 'nothing', 'before the first report');
});

t.test('the missing file comes back as it was', async (t) => {
  const story = given({}, first(A), missing);
  t.same(story.when(unchanged(A)), silent);
  t.same(story.when(missing), { entries: ['BREAK EMPTY'], alerts: ['EMPTY ACTIVE 2'], events: [] });
});

t.test('the state of the file stands in every record', async (t) => {
  const { teller } = given({}, first(A), unchanged(B));
  const record = teller.published.at(-1)!;
  t.same(record.file, {
    length: 120,
    hash: B.hash,
    missing: false,
    sequence: teller.sequence,
    configVersion: 3,
    number: 2,
    linkHash: record.entries[0]!.linkHash,
    lastLinkId: record.entries[0]!.id,
    activeAlerts: 1,
    checkedAt: record.timestamp,
    contactAt: record.timestamp,
  });
  t.equal(record.rev, 2);
  t.same(inWords(record), breach('B'));
});
