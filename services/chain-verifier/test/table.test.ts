import t from 'tap';
import { change, first, missing, NOTHING, report, unchanged, version } from './dsl/records.ts';
import { given } from './dsl/story.ts';

const A = version('A', 100);
const B = version('B', 120);
const C = version('C', 140);
const short = version('short', 40);
const FOLLOW = { monitoringFrequency: 'FOLLOW' } as const;
const ROLLED = { rolled: true, rolledFilenameRegexp: 'app\\.log\\.\\d+' } as const;
const FIXED = { modifiable: false } as const;

const alert = (type: string) => `ALERT {"type":"${type}"}`;
const raised = (type: string, content: string, ...more: string[]) => ({
  entries: [`BREAK ${type}${content === '' ? '' : ` ${content}`}`],
  alerts: [`${type} ACTIVE 1`],
  events: [alert(type), ...more],
});
const silent = { entries: [], alerts: [], events: [] };

t.test('row 2: an error of the agent is an event with its message', async (t) => {
  const error = { code: 'EACCES', message: 'permission denied' };
  t.same(given({}, first(A)).when(report('ERROR', [], { error })), {
    ...silent,
    events: ['AGENT_ERROR {"code":"EACCES","message":"permission denied"}'],
  });
});

t.test('row 3: lengths that cannot be', async (t) => {
  const breach = (label: string) => raised('HASH_BREACH_IN_REQ', label);
  const cases = {
    'falling in APPENDED': [report('APPENDED', [A, B, short]), breach('short')],
    'known hash, another length': [report('REPLACED', [{ ...A, length: 99 }, B]), breach('B')],
    'length 0 with a foreign hash': [report('REPLACED', [A, { ...B, length: 0 }]), breach('B')],
    'UNCHANGED with versions that differ': [report('UNCHANGED', [A, B]), breach('B')],
    'FIRST with two versions': [report('FIRST', [A, A]), breach('A')],
  } as const;
  for (const [name, [step, seen]] of Object.entries(cases))
    t.same(given({}, first(A)).when(step), seen, name);
  t.same(given({}).when(report('FIRST', [A, B])), {
    ...breach('B'),
    entries: ['GENESIS', 'BREAK HASH_BREACH_IN_REQ B'],
  });
});

t.test('row 3: an empty file is not an impossible length', async (t) => {
  t.same(given({}, first(NOTHING)).when(report('APPENDED', [NOTHING, A])), {
    ...silent,
    entries: ['LINK A'],
  });
});

t.test('row 4: the first version becomes the baseline', async (t) => {
  t.same(given({}).when(first(A)), { ...silent, entries: ['GENESIS', 'BASELINE A'] });
  t.same(given({}, report('ERROR', [])).when(report('REPLACED', [A, B])), {
    ...silent,
    entries: ['BASELINE B'],
  });
});

t.test('row 4: a file that was not there at first is baselined when it comes', async (t) => {
  t.same(given({}, missing).when(first(A)), { ...silent, entries: ['BASELINE A'] });
});

t.test('row 5: no versions', async (t) => {
  t.same(given({}, first(A)).when(missing), raised('EMPTY', ''));
  t.same(given({}, first(A)).when(report('APPENDED', [])), raised('EMPTY', ''));
  t.same(given({}, first(A), missing).when(missing), silent, 'already missing');
  const story = given({}, first(A), missing);
  t.same(story.teller.published.at(-1)?.file, {
    ...story.teller.published.at(-1)?.file,
    missing: true,
    length: 100,
    hash: A.hash,
  });
  t.same(story.when(unchanged(A)), silent, 'the last version was kept');
});

t.test('row 6: a file that must not change', async (t) => {
  t.same(given(FIXED, first(A)).when(report('REPLACED', [A, B])), raised('UNEXPECTED_CHANGE', 'B'));
  t.same(given(FIXED, first(A)).when(report('REPLACED', [A, B, A])), raised('UNEXPECTED_CHANGE', 'A'));
  t.same(given(FIXED, first(A)).when(unchanged(B)), raised('UNEXPECTED_CHANGE', 'B'));
  t.same(given(FIXED, first(A)).when(unchanged(A)), silent);
  const archives = [{ name: 'a.1', ...A }];
  t.same(
    given({ ...FIXED, ...ROLLED }, first(A)).when(report('ROLLED', [A, B], { archives })),
    raised('UNEXPECTED_CHANGE', 'B'),
  );
});

t.test('row 7: rotated files', async (t) => {
  const archives = [{ name: 'app.log.1', ...A }];
  t.same(
    given(ROLLED, first(A)).when(report('ROLLED', [B, C], { archives })),
    raised('ROLLED_FILE_CHANGED', 'C'),
    'versions[0] is not the last reported',
  );
  t.same(
    given(ROLLED, first(A)).when(report('ROLLED', [A, C], { archives: [] })),
    raised('ROLLED_FILE_CHANGED', 'C'),
    'no archive',
  );
  t.same(given(ROLLED, first(A)).when(report('ROLLED', [A, C])), raised('ROLLED_FILE_CHANGED', 'C'));
  t.same(
    given(ROLLED, first(A)).when(report('ARCHIVE_CHANGED', [A], { archives })),
    raised('ROLLED_FILE_CHANGED', 'A'),
    'an archive changed',
  );
});

t.test('row 8: the past of the file changed', async (t) => {
  t.same(given({}, first(A)).when(report('APPENDED', [B, C])), raised('HASH_BREACH', 'C'));
  t.same(given({}, first(A)).when(unchanged(B)), raised('HASH_BREACH', 'B'));
  t.same(given({}, first(A)).when(first(B)), raised('HASH_BREACH', 'B'), 'FIRST goes through the rows');
  t.same(given({}, first(A)).when(report('REPLACED', [short])), raised('HASH_BREACH', 'short'), 'PROBE');
});

t.test('row 8: a followed file that got shorter', async (t) => {
  t.same(
    given(FOLLOW, first(A)).when(report('TRUNCATED', [short])),
    raised('HASH_BREACH', 'short', 'FILE_DECREASED {"from":100,"to":40}'),
  );
  t.same(given(FOLLOW, first(A)).when(report('APPENDED', [B, C])), raised('HASH_BREACH', 'C'), 'not shorter');
});

t.test('row 9: a rotation', async (t) => {
  const archives = [
    { name: 'app.log.2', ...B },
    { name: 'app.log.1', ...C },
  ];
  const note = JSON.stringify({ archives });
  t.same(given(ROLLED, first(A)).when(report('ROLLED', [A, short], { archives })), {
    entries: ['LINK B', 'LINK C', 'LINK short'],
    alerts: [],
    events: [`ROLLING ${note}`],
  });
  const same = [{ name: 'app.log.1', ...A }];
  t.same(given(ROLLED, first(A)).when(report('ROLLED', [A, A], { archives: same })), {
    entries: ['LINK A'],
    alerts: [],
    events: [`ROLLING ${JSON.stringify({ archives: same })}`],
  });
  t.same(
    given(ROLLED, first(A))
      .when(report('ROLLED', [A, NOTHING], { archives: same }))
      .valueOf(),
    {
      entries: ['LINK NOTHING'],
      alerts: [],
      events: [`ROLLING ${JSON.stringify({ archives: same })}`],
    },
  );
});

t.test('row 10: a probed file that got shorter', async (t) => {
  t.same(given({}, first(A)).when(report('TRUNCATED', [A, short])), {
    entries: ['LINK short'],
    alerts: [],
    events: ['FILE_DECREASED {"from":100,"to":40}'],
  });
});

t.test('row 11: a link for each version that differs from the one before', async (t) => {
  t.same(given({}, first(A)).when(report('APPENDED', [A, B, B, C])), {
    ...silent,
    entries: ['LINK B', 'LINK C'],
  });
  t.same(given({}, first(A)).when(report('REPLACED', [A, B, A])), {
    ...silent,
    entries: ['LINK B', 'LINK A'],
  });
  t.same(given(FOLLOW, first(A)).when(report('APPENDED', [A, B])), { ...silent, entries: ['LINK B'] });
});

t.test('row 12: anything else only changes the contact time', async (t) => {
  const story = given({}, first(A));
  t.same(story.when(unchanged(A)), silent);
  const file = story.teller.published.at(-1)!.file!;
  t.equal(file.contactAt, story.teller.acceptedAtMs);
  t.equal(file.checkedAt, story.teller.acceptedAtMs);
});

t.test('ROLLED on a file that is not rolled counts as REPLACED', async (t) => {
  const archives = [{ name: 'app.log.1', ...A }];
  t.same(given({}, first(A)).when(report('ROLLED', [A, B], { archives })), {
    ...silent,
    entries: ['LINK B'],
  });
  t.same(given({}, first(A)).when(report('ROLLED', [B, C], { archives })), raised('HASH_BREACH', 'C'));
});

t.test('the policy of a later version judges', async (t) => {
  const story = given({}, first(A), change({ modifiable: false }));
  t.same(story.when(report('REPLACED', [A, B])), raised('UNEXPECTED_CHANGE', 'B'));
});
