import { hash } from 'node:crypto';
import { eventId, noteHash, policyHash, reportCause, type Entry } from '@sentinel-node/contracts';
import t from 'tap';
import {
  DEVICE,
  FILE,
  PERSON,
  POLICY,
  change,
  dismiss,
  first,
  missing,
  report,
  reset,
  unchanged,
  version,
} from './dsl/records.ts';
import { given } from './dsl/story.ts';

const A = version('A');
const B = version('B', 120);

/** Optional fields of an entry that are there. */
const present = (entry: Entry | undefined) =>
  [
    'reportedAt',
    'sequence',
    'contentHash',
    'length',
    'reportHash',
    'causeNumber',
    'actor',
    'noteHash',
    'child',
  ].filter((name) => entry !== undefined && name in entry);
const BY_REPORT = ['reportedAt', 'sequence', 'contentHash', 'length', 'reportHash'];

t.test('what each kind of entry commits to', async (t) => {
  const story = given({}, first(A), unchanged(B), dismiss('HASH_BREACH'), missing, reset('EMPTY'));
  const { published } = story.teller;
  const [genesis, baseline] = published[0]!.entries;
  t.same(present(genesis), ['child']);
  t.equal(genesis?.child, DEVICE);
  t.same(present(baseline), BY_REPORT);
  t.same(present(published[1]?.entries[0]), BY_REPORT, 'BREAK');
  t.same(present(published[2]?.entries[0]), ['causeNumber', 'actor', 'noteHash'], 'DISMISSED');
  t.same(present(published[3]?.entries[0]), ['reportedAt', 'sequence', 'reportHash'], 'BREAK of EMPTY');
  t.same(
    present(published[4]?.entries[0]),
    ['contentHash', 'length', 'causeNumber', 'actor', 'noteHash'],
    'RESET',
  );
  t.equal(published[4]?.entries[0]?.noteHash, noteHash('expected'));
  const again = given({}, first(A), unchanged(B), reset('HASH_BREACH')).teller.published.at(-1)!;
  t.same(present(again.entries[1]), ['contentHash', 'length'], 'BASELINE by a claim');
  const switched = given({}, first(A), change({ enabled: false, path: '/x' })).teller.published.at(-1)!;
  for (const entry of switched.entries) t.same(present(entry), ['actor']);
  t.equal(switched.entries[0]?.actor, PERSON);
});

t.test('a reported time that is none is left out, and the chain goes on', async (t) => {
  for (const timestamp of [
    '2026-02-30T10:00:00.000Z',
    '2026-02-28T24:00:00.000Z',
    '1969-12-31T23:59:59.999Z',
  ]) {
    const { published } = given({}, first(A), report('APPENDED', [A, B], { timestamp })).teller;
    t.same(present(published[1]?.entries[0]), ['sequence', 'contentHash', 'length', 'reportHash'], timestamp);
  }
});

t.test('reportHash is of the bytes as received', async (t) => {
  const { teller } = given({}, first(A));
  const { body } = teller.log[0]!;
  const received = body.subarray(body.indexOf(0x0a) + 1);
  t.equal(teller.published[0]?.entries[1]?.reportHash, hash('sha256', received));
});

t.test('policyHash is of the policy in force after the entry', async (t) => {
  const { teller } = given({}, first(A), change({ category: 'ADVANCED' }));
  t.equal(teller.published[0]?.entries[0]?.policyHash, policyHash(POLICY));
  t.equal(teller.published[1]?.entries[0]?.policyHash, policyHash(teller.policy));
  teller.tell(change({ configVersion: 9 }));
  teller.tell(report('APPENDED', [A, B]));
  t.equal(
    teller.published.at(-1)?.entries[0]?.policyHash,
    policyHash(teller.policy),
    'a version renewed without entry',
  );
});

t.test('ids come from the record, its time never before an earlier one', async (t) => {
  const story = given({}, first(A));
  const { teller } = story;
  const [, baseline] = teller.published[0]!.entries;
  t.equal(baseline?.id, eventId(teller.acceptedAtMs, 'BASELINE', reportCause(FILE, teller.sequence, 1)));
  const highest = teller.acceptedAtMs;
  teller.acceptedAtMs -= 60_000;
  story.when(report('APPENDED', [A, B]));
  const record = teller.published.at(-1)!;
  t.equal(record.timestamp, highest);
  t.equal(record.entries[0]?.id, eventId(highest, 'LINK', reportCause(FILE, teller.sequence, 0)));
  t.equal(record.entries[0]?.acceptedAt, teller.acceptedAtMs, 'the entry keeps the time of its record');
});

t.test('one commit that changes several files gives each an id of its own', async (t) => {
  const ids = [FILE, FILE.replace(/3$/, '9')].map((fileId) => {
    const { teller } = given({});
    const made = change({})(Object.assign(teller, { fileId }));
    return teller.append(made!)?.entries[0]?.id;
  });
  t.not(ids[0], ids[1]);
});

t.test('a time that is none is left out, and stops nobody', async (t) => {
  const story = given({}, report('FIRST', [A], { timestamp: '2026-13-45T99:99:99.999Z' }));
  t.same(present(story.teller.published[0]?.entries[1]), ['sequence', 'contentHash', 'length', 'reportHash']);
});
