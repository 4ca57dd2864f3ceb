/** Tests when a receipt's promise is kept, still open or broken. Times in hours after the receipt. */
import t from 'tap';
import { isAcceptedLater, isReceiptAhead, judgePromise, linkDueAt, type Proof } from '../src/index.ts';

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 10, 21, 10);
const FILE = '01932b5e-7c00-7a11-8b22-000000000003';
const promised = { fileId: FILE, reportHash: 'a'.repeat(64), acceptedAt: START };

/** The members of a proof that a promise is judged by. */
const proof = (more: object = {}, entry: object = {}): Proof =>
  ({
    ...{ subject: { type: 'FILE', id: FILE }, state: 'ANCHORED' },
    entry: { acceptedAt: START, reportHash: promised.reportHash, ...entry },
    ...more,
  }) as unknown as Proof;
const at = (hours: number, given: Proof | undefined, moreMs = 0) =>
  judgePromise(promised, given, START + hours * HOUR_MS + moreMs);
const broken = (why: string) => ({ state: 'broken', why });

t.test('a link is due two hours after its receipt', async (t) => {
  const dueAt = START + 2 * HOUR_MS;
  t.equal(linkDueAt(promised), dueAt);
  t.strictSame(at(0, undefined), { state: 'early', dueAt });
  t.strictSame(at(2, undefined, -1), { state: 'early', dueAt });
  t.strictSame(at(2, undefined), broken('it is not in the chain of the file'));
});

t.test('a link is in a batch a day after that', async (t) => {
  const pending = proof({ state: 'PENDING' });
  const dueAt = START + 26 * HOUR_MS;
  t.strictSame(at(0, pending), { state: 'early', dueAt });
  t.strictSame(at(26, pending, -1), { state: 'early', dueAt });
  t.strictSame(at(26, pending), broken('it was not put into a batch in time'));
  for (const state of ['BATCHED', 'ANCHORED', 'MINED'])
    t.strictSame(at(100, proof({ state })), { state: 'kept' }, state);
});

t.test('another report in its place breaks the promise', async (t) => {
  const other = broken('the server shows another report in its place');
  t.strictSame(at(1, proof({ subject: { type: 'FILE', id: 'x' } })), other);
  t.strictSame(at(1, proof({ subject: { type: 'DEVICE', id: FILE } })), other);
  t.strictSame(at(1, proof({}, { reportHash: 'b'.repeat(64) })), other);
});

t.test('a later time of acceptance breaks it, by more than clocks differ', async (t) => {
  const since = (ms: number) => at(1, proof({}, { acceptedAt: START + ms }));
  t.strictSame(since(-HOUR_MS), { state: 'kept' }, 'the report was sent twice');
  t.strictSame(since(60_000), { state: 'kept' });
  t.strictSame(since(60_001), broken('the server says a later time of acceptance now'));
  t.notOk(isAcceptedLater({ acceptedAt: START + 60_000 }, START));
  t.ok(isAcceptedLater({ acceptedAt: START + 60_001 }, START));
});

t.test('a receipt of a time to come is ahead by more than ten minutes', async (t) => {
  t.notOk(isReceiptAhead(START + 600_000, START));
  t.ok(isReceiptAhead(START + 600_001, START));
});
