/** What the audit says of entries and batches that are not anchored: given what waits, then whether somebody has to look. */
import t from 'tap';
import type { TransactionDocument } from '@sentinel-node/anchoring';
import { LAST_DATE_MS } from '@sentinel-node/contracts';
import { matchList } from '@sentinel-node/test-kit/matching';
import { Activity } from '../src/audit/activity.ts';
import { asStored, differingFields } from '../src/audit/differing-fields.ts';
import { Findings } from '../src/audit/finding.ts';
import {
  isOverdue,
  overdueWords,
  unanchoredResult,
  unanchoredWords,
  UnanchoredBatches,
  Waiting,
} from '../src/audit/unanchored.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const NOW = Date.parse('2026-11-27T12:00:00.000Z');
const DAY_S = 86_400;

const waiting = (...since: readonly number[]): Waiting => {
  const made = new Waiting();
  for (const at of since) made.add(at);
  return made;
};
const rules = (intervalSeconds = 60) => ({
  ...{ intervalSeconds, now: NOW, waited: (since: number) => NOW - since },
});
const document = (status: string, more: Partial<TransactionDocument> = {}): TransactionDocument =>
  ({ record: { transaction: { status } }, ...more }) as unknown as TransactionDocument;
const batches = (...given: readonly Parameters<UnanchoredBatches['add']>[]): UnanchoredBatches => {
  const made = new UnanchoredBatches();
  for (const one of given) made.add(...one);
  return made;
};
const result = (entries: Waiting, given = batches(), intervalSeconds = 60) =>
  unanchoredResult(entries, given, rules(intervalSeconds));
const counts = ({ batches: waits, refused, transactions }: UnanchoredBatches) =>
  [waits, refused, transactions].map(({ count }) => count).join(' ');

t.test('nothing waits', async (t) => {
  const none = { count: 0, since: null, isOverdue: false, isAhead: false };
  const nothing = result(waiting());
  t.strictSame(nothing, { entries: none, batches: none, refused: none, transactions: none });
  t.notOk(isOverdue(nothing));
  t.equal(overdueWords(nothing), '');
  t.strictSame(unanchoredWords(nothing), []);
});

t.test('the first of what waits counts, in whatever order it is read', async (t) => {
  const { entries } = result(waiting(NOW - 1_000, NOW - 3_000, NOW - 2_000));
  t.strictSame(entries, { count: 3, since: '2026-11-27T11:59:57.000Z', isOverdue: false, isAhead: false });
});

t.test('entries are overdue after an hour, or after the longest interval if that is longer', async (t) => {
  const since = (ms: number, intervalSeconds?: number) =>
    result(waiting(NOW - ms), undefined, intervalSeconds).entries.isOverdue;
  t.notOk(since(HOUR_MS));
  t.ok(since(HOUR_MS + 1));
  t.notOk(since(24 * HOUR_MS, DAY_S));
  t.ok(since(24 * HOUR_MS + 1, DAY_S));
});

t.test('a transaction on the network has three hours for its block', async (t) => {
  const sent = (ms: number, intervalSeconds?: number) =>
    result(waiting(), batches([NOW - ms, document('SEEN_ON_NETWORK'), false]), intervalSeconds);
  t.notOk(sent(3 * HOUR_MS).transactions.isOverdue);
  t.ok(sent(3 * HOUR_MS + 1).transactions.isOverdue);
  t.notOk(sent(24 * HOUR_MS, DAY_S).transactions.isOverdue);
  t.ok(sent(24 * HOUR_MS + 1, DAY_S).transactions.isOverdue);
});

t.test('batches by how far their transactions have come', async (t) => {
  const of = (given: TransactionDocument | undefined, isInBlock = false) =>
    counts(batches([NOW, given, isInBlock]));
  t.equal(of(undefined), '1 0 0');
  t.equal(of({ record: { transaction: null } } as unknown as TransactionDocument), '1 0 0', 'not signed yet');
  for (const status of ['SIGNED', 'RECEIVED', 'SENT_TO_NETWORK'])
    t.equal(of(document(status)), '1 0 0', status);
  for (const status of ['SEEN_ON_NETWORK', 'MINED']) t.equal(of(document(status)), '0 0 1', status);
  for (const status of ['REJECTED', 'DOUBLE_SPEND_ATTEMPTED']) t.equal(of(document(status)), '0 1 0', status);
  t.equal(of(document('REJECTED', { resume: 1 })), '1 0 0', 'a person had it sent again');
  t.equal(of(document('MINED'), true), '0 0 0', 'the ledger shows the block');
  t.equal(of(document('REJECTED'), true), '0 0 0');
});

t.test('a refused transaction needs a person at once', async (t) => {
  const refused = result(waiting(), batches([NOW, document('REJECTED'), false]));
  t.match(refused.refused, { count: 1, isOverdue: true });
  t.ok(isOverdue(refused));
  t.equal(overdueWords(refused), ', but anchoring does not get on');
  t.strictSame(unanchoredWords(refused), [
    '1 batch has a transaction that the ledger refuses, the first since 2026-11-27T12:00:00.000Z: find out why (deploy/runbook.md), then sentinel anchors resume',
  ]);
});

t.test('a refusal is known, also of a batch whose clock was ahead', async (t) => {
  const ahead = result(waiting(), batches([NOW + 24 * HOUR_MS, document('REJECTED'), false]));
  t.equal(overdueWords(ahead), ', but anchoring does not get on');
});

t.test('a time that is none is not taken for a short wait', async (t) => {
  const late = result(waiting(Number.NaN));
  t.match(late.entries, { count: 1, since: null, isOverdue: true });
  t.strictSame(unanchoredWords(late), [
    '1 entry is in no batch yet, the first since an unknown time: too long, anchoring does not get on',
  ]);
  t.match(result(waiting(-9e15)).entries, { since: null, isOverdue: true }, 'before the first date');
  t.match(result(waiting(LAST_DATE_MS)).entries, { since: new Date(LAST_DATE_MS).toISOString() });
});

t.test('what waits since a time that has not come yet is not on its way', async (t) => {
  const waitingAt = (at: number) => result(waiting(), batches([at, undefined, false]));
  const ahead = waitingAt(NOW + 24 * HOUR_MS);
  t.match(ahead.batches, { count: 1, since: '2026-11-28T12:00:00.000Z', isOverdue: true, isAhead: true });
  t.ok(isOverdue(ahead));
  matchList(t, unanchoredWords(ahead), [
    /^1 batch has no transaction on the network yet, the first since 2026-11-28T12:00:00\.000Z, which has not come yet: the clock that wrote it was ahead/,
  ]);
  t.equal(overdueWords(ahead), ', but whether anchoring gets on is not known');
  t.match(waitingAt(NOW + HOUR_MS).batches, { isOverdue: false, isAhead: false }, 'clocks differ');
  t.match(waitingAt(NOW + HOUR_MS + 1).batches, { isOverdue: true, isAhead: true });
  const late = waitingAt(NOW - HOUR_MS - 1);
  t.match(late.batches, { isOverdue: true, isAhead: false });
  t.equal(overdueWords(late), ', but anchoring does not get on');
  const both = result(waiting(NOW - HOUR_MS - 1), batches([NOW + 24 * HOUR_MS, undefined, false]));
  t.equal(overdueWords(both), ', but anchoring does not get on', 'one of them is known');
});

t.test('each kind has its words, and says nothing of lateness while it is in time', async (t) => {
  const all = result(
    waiting(NOW, NOW),
    batches(
      [NOW, undefined, false],
      [NOW, undefined, false],
      [NOW, document('MINED'), false],
      [NOW, document('REJECTED'), false],
      [NOW, document('REJECTED'), false],
    ),
  );
  const since = 'the first since 2026-11-27T12:00:00.000Z';
  matchList(t, unanchoredWords(all), [
    `2 entries are in no batch yet, ${since}`,
    `2 batches have no transaction on the network yet, ${since}`,
    /^2 batches have a transaction that the ledger refuses, /,
    `1 transaction is in no block yet, ${since}`,
  ]);
  const sent = batches([NOW, document('MINED'), false], [NOW, document('MINED'), false]);
  t.strictSame(unanchoredWords(result(waiting(), sent)), [`2 transactions are in no block yet, ${since}`]);
});

t.test('time counts in steps in which there are records', async (t) => {
  const activity = new Activity();
  for (const minutes of [5, 12, 13, 31, 1_000]) activity.add(minutes * MINUTE_MS);
  t.equal(activity.after(0), 3 * 600_000);
  t.equal(activity.after(12 * MINUTE_MS), 2 * 600_000);
  t.equal(activity.after(1_000 * MINUTE_MS), 0);
});

t.test('the fields that differ are named', async (t) => {
  t.equal(differingFields({ a: 1, b: { c: 2 } }, { b: { c: 2 }, a: 1 }), '');
  t.equal(differingFields({ a: 1, b: { c: 2 }, d: 4 }, { a: 2, b: { c: 3 }, e: 5 }), 'a, b, d, e');
  t.equal(differingFields({ a: undefined }, asStored({ a: undefined })), '');
  t.strictSame(asStored({ a: 1, b: undefined, c: { d: undefined } }), { a: 1, c: {} });
});

t.test('each check tells about as many findings, so that none hides the others', async (t) => {
  const findings = new Findings();
  for (let n = 0; n < 50; n += 1) findings.add('anchors', String(n));
  for (const what of ['links 0', 'links 1', 'alerts 2']) findings.add('views', what);
  findings.add('claims', '0');
  const told = (check: string) =>
    findings.reported.filter((one) => one.check === check).map(({ what }) => what);
  t.equal(findings.reported.length, 20);
  t.strictSame(
    told('anchors'),
    Array.from({ length: 16 }, (_, n) => String(n)),
  );
  t.strictSame(told('views'), ['links 0', 'links 1', 'alerts 2']);
  t.strictSame(told('claims'), ['0']);
  t.strictSame(
    findings.reported.map(({ check }) => check).filter((check, at, all) => check !== all[at - 1]),
    ['anchors', 'views', 'claims'],
  );
  t.strictSame(findings.counts, { anchors: 50, views: 3, claims: 1 });
});

t.test('twenty findings are told, and all are counted; the first contradicted batch is kept', async (t) => {
  const findings = new Findings();
  for (let n = 0; n < 21; n += 1) findings.add('views', `links ${n}`);
  t.equal(findings.count, 21);
  t.equal(findings.reported.length, 20);
  t.strictSame(findings.reported.at(-1), { check: 'views', what: 'links 19' });
  findings.add('views', 'alerts 1');
  t.strictSame(findings.reported.at(-1), { check: 'views', what: 'alerts 1' }, 'another view is not hidden');
  const contradicted = new Findings();
  for (const [batch, what] of [
    [5, 'a'],
    [3, 'b'],
    [4, 'c'],
    [3, 'd'],
  ] as const)
    // prettier-ignore
    contradicted.contradict(batch, what);
  t.strictSame(contradicted.contradiction, { batch: 3, what: 'b' });
  t.strictSame(contradicted.reported[0], { check: 'anchors', what: 'batch 5: a' });
  t.equal(contradicted.count, 4);
});
