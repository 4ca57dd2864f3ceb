import { CURRENT_RULES } from '@sentinel-node/contracts';
import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { decide, INITIAL_HEAD, decodeRecord, UnknownRulesError, type Source } from '../src/index.ts';
import { Desk, edited } from './doubles/desk.ts';
import {
  change,
  FILE,
  first,
  missing,
  report,
  reset,
  restamp,
  START_MS,
  version,
  wait,
} from './dsl/records.ts';
import { given } from './dsl/story.ts';

const A = version('A');
const SAME_LENGTH = version('other contents as long as A');
const B = version('B', 120);
const C = version('C', 140);
const short = version('short', 40);
const ROLLED = { rolled: true, rolledFilenameRegexp: 'app\\.log\\.\\d+' } as const;
const archive = (of: { length: number; hash: string }) => ({ name: 'app.log.1', ...of });
const breach = { entries: ['BREAK HASH_BREACH C'], alerts: ['HASH_BREACH ACTIVE 1'] };

t.test('other contents of the same length are another version', async (t) => {
  matchWhole(t, given({}, first(A)).when(report('REPLACED', [SAME_LENGTH])), {
    entries: [/^BREAK HASH_BREACH /],
  });
  matchWhole(t, given({ modifiable: false }, first(A)).when(report('REPLACED', [A, SAME_LENGTH])), {
    entries: [/^BREAK UNEXPECTED_CHANGE /],
  });
  matchWhole(t, given({}, first(A)).when(report('REPLACED', [A, SAME_LENGTH])), { entries: [/^LINK other/] });
});

t.test('the same hash with another length is another version', async (t) => {
  const story = given({}, first(A));
  matchWhole(t, story.when(report('REPLACED', [A, B, { ...B, length: 130 }])), {
    entries: ['LINK B', 'LINK B'],
  });
  t.equal(story.teller.head.last?.length, 130);
});

t.test('row 3: an archive of length 0 with a foreign hash cannot be', async (t) => {
  const story = given(ROLLED, first(A));
  const archives = [archive({ ...B, length: 0 })];
  matchWhole(t, story.when(report('ROLLED', [A, B], { archives })), {
    entries: ['BREAK HASH_BREACH_IN_REQ B'],
  });
});

t.test('row 1: a sequence event comes again after exactly an hour', async (t) => {
  const numbered = (sequence: number, ms: number) =>
    report('UNCHANGED', [A], {
      sequence: START_MS * 1_000 + sequence,
      timestamp: new Date(START_MS + ms).toISOString(),
    });
  const story = given({}, first(A), numbered(9, 5_000), numbered(8, 6_000), wait(3_600_000 - 1_000));
  matchWhole(t, story.when(numbered(8, 7_000)), { events: [/SEQUENCE_BACK/] });
});

t.test('row 4: impossible lengths are no baseline, and neither is what follows them', async (t) => {
  const story = given({}, report('FIRST', [A, B]));
  matchWhole(t, story.when(report('REPLACED', [C])), breach);
});

t.test('a reset ends the wait for the next version', async (t) => {
  const story = given({}, first(A), missing, reset('EMPTY'), report('UNCHANGED', [A, B]));
  matchWhole(t, story.when(reset('HASH_BREACH_IN_REQ')), { entries: ['RESET B', 'BASELINE B'] });
  matchWhole(t, story.when(report('REPLACED', [C])), breach);
});

t.test('a reset does not end the wait for the configuration of another path', async (t) => {
  const story = given({}, first(A), report('REPLACED', [B]), change({ path: '/srv/other.log' }));
  matchWhole(t, story.when(reset('HASH_BREACH')), { entries: ['RESET B', 'BASELINE B'] });
  matchWhole(t, story.when(report('REPLACED', [C])), { entries: ['BASELINE C'], alerts: [] });
});

t.test('a rotation that tells of no new file links its archives alone', async (t) => {
  const seen = given(ROLLED, first(A)).when(report('ROLLED', [A], { archives: [archive(B)] }));
  matchWhole(t, seen, { entries: ['LINK B'], alerts: [] });
});

t.test('a rotation counts only of a file that is rolled, and only as such', async (t) => {
  const archives = [archive(B)];
  const unrolled = given({}, first(A)).when(report('ROLLED', [A, C], { archives }));
  t.same(unrolled, { entries: ['LINK C'], alerts: [], events: [] });
  t.same(given(ROLLED, first(A)).when(report('APPENDED', [A, C])), unrolled);
});

t.test('row 10: of a followed file, lengths that fall after the last version are links alone', async (t) => {
  const seen = given({ monitoringFrequency: 'FOLLOW' }, first(A)).when(report('TRUNCATED', [A, short]));
  t.same(seen, { entries: ['LINK short'], alerts: [], events: [] });
});

t.test('the end of a chain names its person, or nobody', async (t) => {
  for (const actor of ['01932b5e-7c00-7a11-8b22-000000000009', null]) {
    const story = given({}, first(A), change({}, { deleted: true, actor }));
    const entry = story.teller.published.at(-1)!.entries.at(-1)!;
    t.equal('actor' in entry ? entry.actor : null, actor);
    t.equal('actor' in entry, actor !== null);
  }
});

t.test('events point at the newest link when they are about one', async (t) => {
  const newestOf = (story: ReturnType<typeof given>) => story.teller.published.at(-1)!;
  const shorter = given({}, first(A), restamp({ category: 'ADVANCED' }), report('REPLACED', [A, short]));
  const { entries, events } = newestOf(shorter);
  t.equal(events[0]?.hashId, entries.find(({ kind }) => kind === 'LINK')?.id);
  const rolled = given(
    ROLLED,
    first(A),
    restamp({ category: 'ADVANCED' }),
    report('ROLLED', [A], { archives: [archive(A)] }),
  );
  t.equal(newestOf(rolled).events[0]?.hashId, null, 'the record has no link');
  const failed = given({}, first(A), report('ERROR', []));
  t.equal(newestOf(failed).events[0]?.hashId, null, 'an error of the agent is about no link');
});

t.test('an alert keeps the report that raised it, and further ones add none', async (t) => {
  const story = given({}, first(A), report('REPLACED', [B]), report('REPLACED', [C]));
  const [raised, counted] = story.teller.published.slice(-2).map(({ alerts }) => alerts[0]!);
  t.type(raised?.eventRequest, 'string');
  t.notOk('eventRequest' in counted!);
});

t.test('rules that this version does not know are told with a code', async (t) => {
  const [made] = given({}, first(A)).teller.log;
  const record = decodeRecord(made!);
  const error = {
    name: 'UnknownRulesError',
    code: 'UNKNOWN_RULES',
    message: /rules 99 .*; run the version that accepted them/,
  };
  const other = { ...record, header: { ...record.header, rules: 99 } } as Source;
  t.throws(() => decide(other, INITIAL_HEAD), error);
  t.throws(() => decodeRecord(edited(made!, `"rules":${CURRENT_RULES}`, '"rules":99')), error);
  t.ok(new UnknownRulesError(99) instanceof Error);
});

t.test('a parked key remembers why', async (t) => {
  const desk = new Desk();
  desk.put({ key: FILE, id: 'poison', body: new TextEncoder().encode('{"kind":"riddle"}') });
  const { cause } = desk.heads.get(FILE)!.parked!;
  t.ok(cause.length > 0);
  t.equal(cause, desk.deadLetters[0]?.cause);
});
