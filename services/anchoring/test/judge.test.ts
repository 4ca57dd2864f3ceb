/** What is said of anchoring and its funds: given what was recorded, when this is so, then. */
import t from 'tap';
import type { OperationRecord } from '@sentinel-node/contracts';
import type { TransactionDocument } from '../src/collections.ts';
import { daysLeft } from '../src/domain/days-left.ts';
import { countSetAside, isRefused, isUnmined, signed } from '../src/domain/transaction-state.ts';
import { ANCHORING_LIMITS } from '../src/limits.ts';
import {
  contradictedBy,
  isNewFinding,
  judgeAnchoring,
  judgeFunds,
  type Progress,
} from '../src/standing/judge.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const NOW = 10 * HOUR_MS;

const transaction = (status: string, at = 5): TransactionDocument =>
  ({ at, batch: 3, record: { transaction: { status } } }) as unknown as TransactionDocument;
const progress = (more: Partial<Progress> = {}): Progress => ({
  ...{ last: transaction('MINED'), waiting: undefined, unfunded: undefined, isContradicted: false },
  ...more,
});
const recorded = (more: Partial<OperationRecord> = {}): OperationRecord => ({
  ...{ v: 1, kind: 'anchoring', rev: 1, at: 4, state: 'wrong', why: 'late', batch: 3 },
  ...more,
});
const RIGHT = { kind: 'anchoring', state: 'right', why: '', batch: null };
const stopped = (why: string) => ({ kind: 'anchoring', state: 'wrong', why, batch: 3 });
const waiting = { batch: 3, closedAt: NOW - 5 };

t.test('anchoring that works is no news', async (t) => {
  t.equal(judgeAnchoring(progress(), undefined, NOW), undefined);
  t.equal(
    judgeAnchoring(progress({ last: undefined }), undefined, NOW),
    undefined,
    'nothing was anchored yet',
  );
  t.equal(judgeAnchoring(progress(), recorded({ state: 'right' }), NOW), undefined);
  t.equal(judgeAnchoring(progress({ waiting }), undefined, NOW), undefined, 'a batch is on its way');
});

t.test('a refused anchor is a stop at once', async (t) => {
  for (const status of ['REJECTED', 'DOUBLE_SPEND_ATTEMPTED']) {
    const refused = progress({ last: transaction(status), waiting });
    t.strictSame(
      judgeAnchoring(refused, undefined, NOW),
      stopped('the ledger refused the newest anchor'),
      status,
    );
  }
  const sent = progress({ last: transaction('SENT_TO_NETWORK'), waiting });
  t.equal(judgeAnchoring(sent, undefined, NOW), undefined);
});

t.test('a batch without funds is a stop at once; funds that an earlier batch missed are none', async (t) => {
  const noFunds = stopped('there are no funds for the next anchor');
  t.strictSame(judgeAnchoring(progress({ waiting, unfunded: 3 }), undefined, NOW), noFunds);
  t.strictSame(judgeAnchoring(progress({ last: undefined, waiting, unfunded: 3 }), undefined, NOW), noFunds);
  t.equal(judgeAnchoring(progress({ waiting, unfunded: 2 }), undefined, NOW), undefined);
});

t.test(
  'a batch that has waited for more than an hour is a stop, also when none was anchored yet',
  async (t) => {
    const closed = (closedAt: number) => progress({ last: undefined, waiting: { batch: 3, closedAt } });
    t.equal(judgeAnchoring(closed(NOW - HOUR_MS), undefined, NOW), undefined);
    t.strictSame(
      judgeAnchoring(closed(NOW - HOUR_MS - 1), undefined, NOW),
      stopped('no anchor has reached the ledger for an hour'),
    );
  },
);

t.test('a stop is over with an anchor that is newer than the stop, when none waits', async (t) => {
  const stop = recorded({ at: 4 });
  t.strictSame(judgeAnchoring(progress(), stop, NOW), RIGHT);
  t.equal(judgeAnchoring(progress(), recorded({ at: 5 }), NOW), undefined, 'no anchor is newer');
  t.equal(judgeAnchoring(progress({ last: undefined }), stop, NOW), undefined, 'there is no anchor at all');
  t.equal(judgeAnchoring(progress({ waiting }), stop, NOW), undefined, 'the next one is on its way');
  t.equal(
    judgeAnchoring(progress({ isContradicted: true }), stop, NOW),
    undefined,
    'a contradiction is open',
  );
});

t.test('a stop of a clock that was ahead is over when all is on the network', async (t) => {
  const ahead = recorded({ at: NOW + 1 });
  t.strictSame(judgeAnchoring(progress(), ahead, NOW), RIGHT);
  t.equal(judgeAnchoring(progress(), recorded({ at: NOW }), NOW), undefined, 'a stop of this moment is none');
  t.equal(judgeAnchoring(progress({ isContradicted: true }), ahead, NOW), undefined);
  t.equal(
    judgeAnchoring(progress({ last: undefined }), ahead, NOW),
    undefined,
    'nothing shows that it works',
  );
});

t.test('funds have two limits, so that a rate around one is not told each time', async (t) => {
  const low = { state: 'wrong' } as const;
  const few = { kind: 'funds', state: 'wrong', why: 'the funds last for less than 14 days', batch: null };
  t.strictSame(judgeFunds(13.9, undefined), few);
  t.equal(judgeFunds(14, undefined), undefined);
  t.equal(judgeFunds(14, low), undefined);
  t.equal(judgeFunds(20.9, low), undefined);
  t.strictSame(judgeFunds(21, low), { kind: 'funds', state: 'right', why: '', batch: null });
  t.equal(judgeFunds(21, { state: 'right' }), undefined);
  t.equal(judgeFunds(21, undefined), undefined, 'funds that were never low are no news');
  t.equal(judgeFunds(undefined, low), undefined, 'unknown is neither');
});

t.test('days: none without a rate; half the funds, half the days', async (t) => {
  const rate = { fee: 10, anchors: 10, periodMs: DAY_MS };
  t.equal(daysLeft(1_000, { ...rate, anchors: 0 }), undefined);
  t.equal(daysLeft(1_000, { ...rate, periodMs: 0 }), undefined);
  t.equal(daysLeft(1_000, { ...rate, fee: 0 }), undefined);
  t.equal(daysLeft(1_000, rate), 10);
  t.equal(daysLeft(500, rate), 5);
  t.equal(daysLeft(0, rate), 0);
  t.equal(daysLeft(1_000, { ...rate, periodMs: 2 * DAY_MS }), 20);
});

t.test('a finding is recorded once; the first record is never that all is well', async (t) => {
  const wrong = { kind: 'funds', state: 'wrong', why: 'few', batch: null } as const;
  const right = { ...wrong, state: 'right', why: '' } as const;
  t.ok(isNewFinding(wrong, undefined, undefined));
  t.notOk(isNewFinding(right, undefined, undefined));
  const funds = recorded({ kind: 'funds', batch: null });
  t.notOk(isNewFinding(wrong, funds, undefined));
  t.ok(isNewFinding(right, funds, undefined));
  t.ok(isNewFinding(wrong, { ...funds, state: 'right' }, undefined));
  const later = { kind: 'anchoring', state: 'wrong', why: 'late', batch: 9 } as const;
  t.notOk(isNewFinding(later, recorded(), undefined), 'the same stop, a later batch');
});

t.test('a contradiction is recorded again for another batch, or after anchoring went on', async (t) => {
  const found = contradictedBy('evidence', 3);
  t.strictSame(found, {
    ...{ kind: 'evidence', state: 'wrong', why: 'recorded data contradict what was anchored', batch: 3 },
  });
  const before = recorded({ kind: 'evidence', at: 100, batch: 3 });
  t.notOk(isNewFinding(found, before, undefined));
  t.ok(isNewFinding(contradictedBy('evidence', 4), before, undefined));
  t.notOk(isNewFinding(found, before, recorded({ at: 200 })), 'anchoring is stopped');
  t.notOk(isNewFinding(found, before, recorded({ state: 'right', at: 99 })), 'it went on before');
  t.ok(isNewFinding(found, before, recorded({ state: 'right', at: 100 })));
  t.ok(isNewFinding(found, before, recorded({ state: 'right', at: 101 })));
});

const { setAsideAnswers } = ANCHORING_LIMITS;

t.test('answers that set a transaction aside are counted until it is on the network again', async (t) => {
  for (const status of ['SEEN_IN_ORPHAN_MEMPOOL', 'MINED_IN_STALE_BLOCK'] as const) {
    t.equal(countSetAside(undefined, status), 1, status);
    t.equal(countSetAside(1, status), 2, status);
    t.equal(countSetAside(setAsideAnswers, status), setAsideAnswers, 'no further');
  }
  for (const status of ['SEEN_ON_NETWORK', 'MINED'] as const)
    t.equal(countSetAside(3, status), undefined, status);
  for (const status of ['RECEIVED', 'REJECTED'] as const) {
    t.equal(countSetAside(3, status), 3, `${status} is neither`);
    t.equal(countSetAside(undefined, status), undefined);
  }
});

t.test('a transaction that was set aside for too long counts as refused', async (t) => {
  const { record } = transaction('SEEN_IN_ORPHAN_MEMPOOL');
  t.notOk(isRefused({ record }));
  t.notOk(isRefused({ record, setAside: setAsideAnswers - 1 }));
  t.ok(isRefused({ record, setAside: setAsideAnswers }));
  const unsigned = { ...record, transaction: null };
  t.notOk(isRefused({ record: unsigned }), 'not signed yet');
});

t.test(
  'a transaction waits for a block while it is on the network, or when its block was replaced',
  async (t) => {
    const of = (status: string): boolean => isUnmined({ ...signed('aa'), status });
    for (const status of ['SEEN_ON_NETWORK', 'MINED_IN_STALE_BLOCK']) t.ok(of(status), status);
    for (const status of ['MINED', 'SIGNED', 'RECEIVED', 'REJECTED', 'SEEN_IN_ORPHAN_MEMPOOL'])
      t.notOk(of(status), status);
  },
);
