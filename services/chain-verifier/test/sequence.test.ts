import type { Report } from '@sentinel-node/contracts';
import t from 'tap';
import { change, first, report, START_MS, unchanged, version, wait, type Step } from './dsl/records.ts';
import { given } from './dsl/story.ts';

const A = version('A');
const B = version('B');
const HOUR_MS = 3_600_000;
const at = (ms: number) => new Date(START_MS + ms).toISOString();
const FIVE = START_MS * 1000 + 5;

/** A report with exactly this identity; `own` is what the two deliveries of one report have in common. */
function numbered(sequence: number, timestampMs: number, own: Partial<Report> = {}): Step {
  const { change: kind = 'UNCHANGED', versions = [A], ...fields } = own;
  return report(kind, versions, { ...fields, sequence, timestamp: at(timestampMs) });
}
const fault = (code: string, message: string) => ({
  entries: [],
  alerts: [],
  events: [`AGENT_ERROR ${JSON.stringify({ code, message })}`],
});
const back = (sequence: number) =>
  fault('SEQUENCE_BACK', `A newer report has sequence ${sequence}, the highest so far is ${FIVE}.`);
const reused = fault('SEQUENCE_REUSED', `Two different reports have sequence ${FIVE}.`);
const silent = { entries: [], alerts: [], events: [] };

t.test('row 1: the same report again is a duplicate', async (t) => {
  const story = given({}, first(A), numbered(FIVE, 5_000));
  const { head } = story.teller;
  t.equal(story.when(numbered(FIVE, 5_000)), 'nothing');
  t.equal(
    story.when(numbered(FIVE, 5_000, { reread: true, instanceId: 'x', configVersion: 9 })),
    'nothing',
    'fields outside of the digest do not count',
  );
  t.equal(story.teller.head, head, 'the head stays as it is');
});

t.test('row 1: a lower sequence with a time not newer is a duplicate', async (t) => {
  const story = given({}, first(A), numbered(FIVE, 5_000));
  t.equal(story.when(numbered(FIVE - 1, 4_000)), 'nothing');
  t.equal(story.when(numbered(FIVE - 1, 5_000, { change: 'REPLACED', versions: [B] })), 'nothing');
});

t.test('row 1: a lower sequence with a newer time, at most one event an hour', async (t) => {
  const story = given({}, first(A), numbered(FIVE, 5_000));
  t.same(story.when(numbered(FIVE - 1, 5_001)), back(FIVE - 1));
  t.same(story.when(numbered(FIVE - 1, 6_000)), silent);
  t.same(story.when(wait(HOUR_MS - 3_001)), 'nothing');
  t.same(story.when(numbered(FIVE - 2, 7_000)), silent, 'a millisecond short of the hour');
  t.same(story.when(wait(HOUR_MS)), 'nothing');
  t.same(story.when(numbered(FIVE - 2, 7_000)), back(FIVE - 2));
});

t.test('row 1: a sequence used for another report', async (t) => {
  const story = given({}, first(A), numbered(FIVE, 5_000));
  t.same(story.when(numbered(FIVE, 5_000, { change: 'REPLACED', versions: [A, B] })), reused);
  t.same(story.when(numbered(FIVE, 5_001)), silent, 'the hour runs for both digests');
  t.same(story.when(numbered(FIVE - 1, 6_000)), back(FIVE - 1), 'each kind has its own hour');
  t.same(story.teller.head.last, A, 'what such a report says is not taken');
});

t.test('row 1: out of sequence is contact, but no successful check', async (t) => {
  const story = given({}, first(A), numbered(FIVE, 5_000));
  const checkedAt = story.teller.head.checkedAt;
  story.when(numbered(FIVE - 1, 6_000));
  t.equal(story.teller.head.checkedAt, checkedAt);
  t.equal(story.teller.head.contactAt, story.teller.acceptedAtMs);
});

t.test('row 1: events about one sequence have ids of their own', async (t) => {
  const error = { code: 'EIO', message: '' };
  const story = given({}, first(A), numbered(FIVE, 5_000, { change: 'ERROR', versions: [], error }));
  story.teller.acceptedAtMs = START_MS - HOUR_MS;
  story.when(numbered(FIVE, 6_000));
  story.teller.acceptedAtMs = START_MS - HOUR_MS;
  story.when(numbered(FIVE - 1, 7_000));
  const ids = story.teller.published.flatMap(({ events }) => events.map(({ id }) => id));
  t.equal(ids.length, 3);
  t.equal(new Set(ids).size, 3);
});

t.test('the highest sequence is reset by nothing', async (t) => {
  const story = given({}, first(A), numbered(FIVE, 5_000), change({ path: '/elsewhere' }));
  t.equal(story.when(numbered(FIVE - 1, 5_000)), 'nothing');
  t.same(story.when(numbered(FIVE + 1, 5_000)), { ...silent, entries: ['BASELINE A'] });
});

t.test('an ERROR counts in the sequence and is no successful check', async (t) => {
  const story = given({}, first(A));
  const { checkedAt } = story.teller.head;
  story.when(report('ERROR', [], { error: { code: 'EACCES', message: 'no' } }));
  t.equal(story.teller.head.checkedAt, checkedAt);
  t.equal(story.teller.head.highest?.sequence, story.teller.sequence);
  t.same(story.when(unchanged(A)), silent);
});
