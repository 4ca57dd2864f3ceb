/** A bundle whose batches are of two logs does not hold, whatever checkpoint was kept before the logs differ. */
import t from 'tap';
import { printedBundle } from '../src/proof/bundle-report.ts';
import { checkBundle, type BundleCheckOptions } from '../src/proof/check-bundle.ts';
import { concludeCheck } from '../src/proof/conclusion.ts';
import { CHECK_EXIT_CODES, endOf } from '../src/proof/report.ts';
import { checkProof } from '../src/proof/check.ts';
import {
  allHeaders,
  asCut,
  bundleIn,
  consistencyOf,
  copies,
  fork,
  kept,
  proofIn,
  trunk,
  type Ledgered,
} from './forked-log.ts';
import { online, trust } from './proof-support.ts';

type Pair = readonly [Ledgered, Ledgered];
/** Entries of two batches, and the batches. */
const APART = [[0, 1], [2, 3], 7, 9] as const;
const NEXT = [[2, 3], [4], 9, 10] as const;

const knowing = (pair: Pair, batches: readonly [number, number]): BundleCheckOptions => ({
  ...online,
  headers: allHeaders,
  oneLog: { checkpoint: kept, consistencies: pair.map((of, at) => consistencyOf(of, batches[at]!)) },
});
const verdictOf = (pair: Pair, [own, next, ...batches]: typeof APART | typeof NEXT) =>
  checkBundle(bundleIn(pair, [own, next]), trust, knowing(pair, batches));

t.test('a bundle of one log holds, by a checkpoint from before all of its batches', async (t) => {
  for (const of of [trunk, fork, copies])
    for (const places of [APART, NEXT]) {
      const verdict = await verdictOf([of, of], places);
      t.strictSame(verdict.fails, []);
      t.equal(verdict.outcome, 'HOLDS');
      t.ok(verdict.codes.includes('KEPT_CHECKPOINT_OLDER'));
      t.notOk(verdict.codes.includes('TRANSACTIONS_DIFFER'));
    }
});

t.test('batches of two logs of one key fail, as their proofs contradict each other', async (t) => {
  for (const pair of [
    [trunk, fork],
    [fork, trunk],
  ] as const) {
    for (const [own, later, ...batches] of [APART, NEXT]) {
      const bundle = bundleIn(pair, [own, later]);
      const verdict = await checkBundle(bundle, trust, knowing(pair, batches));
      t.equal(verdict.outcome, 'FAILS', batches.join());
      t.strictSame(
        verdict.fails.map(({ code }) => code),
        ['BATCHES_DIFFER'],
      );
      t.equal(CHECK_EXIT_CODES[endOf({ verdict, file: undefined })], 1);
      const printed = printedBundle(
        { verdict, file: undefined, headers: allHeaders },
        { headers: '', knownBlock: '', seals: '', checkpoint: '', policy: '' },
      );
      t.match(printed, /FAILS {4}BATCHES_DIFFER: .* one log.* At \/batches\/1\./);
      const cut = await checkBundle(asCut(bundle), trust, knowing(pair, batches));
      t.equal(cut.outcome, 'FAILS', 'before any transaction is sent');
    }
    const single = await Promise.all(
      [proofIn(pair[0], 1), proofIn(pair[1], 4)].map(async (proof) => ({
        verdict: await checkProof(proof, trust, { ...online, headers: allHeaders }),
        file: undefined,
        headers: allHeaders,
      })),
    );
    t.equal(concludeCheck(single).end, 'CONFLICT');
  }
});

t.test('transactions that are not of one chain of seals are told, and one log is not shown', async (t) => {
  for (const pair of [
    [trunk, copies],
    [copies, trunk],
  ] as const) {
    const verdict = await verdictOf(pair, NEXT);
    t.strictSame(verdict.fails, []);
    t.equal(verdict.outcome, 'ONE_LOG_NOT_SHOWN');
    t.strictSame(
      verdict.warnings.find(({ code }) => code === 'TRANSACTIONS_DIFFER')?.numbers,
      [],
      'of the bundle, not of an entry',
    );
    t.equal((await verdictOf(pair, APART)).outcome, 'HOLDS', 'what is between is not known');
    const cut = await checkBundle(asCut(bundleIn(pair, [NEXT[0], NEXT[1]])), trust, knowing(pair, [9, 10]));
    t.equal(cut.outcome, 'INCOMPLETE');
    t.notOk(cut.codes.includes('TRANSACTIONS_DIFFER'));
  }
});
