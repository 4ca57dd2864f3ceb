/** Two bundles, or a bundle and a proof, are held against each other: what the log signed twice is told, and where. */
import t from 'tap';
import { bodyHash, linkHashHex } from '../src/hashes.ts';
import { concludeCheck, printedChecks } from '../src/proof/conclusion.ts';
import { checkDocument, type CheckedDocument } from '../src/proof/check-document.ts';
import { utf8 } from '../src/bytes/bytes.ts';
import type { Bundle } from '../src/proof/bundle.ts';
import type { Proof } from '../src/proof/proof.ts';
import { allHeaders, asCut, bundleIn, copies, fork, proofIn, trunk, type Ledgered } from './forked-log.ts';
import { NAMES, online, trust } from './proof-support.ts';

const options = { ...online, headers: allHeaders };
const NUMBERS = [
  [0, 1],
  [2, 3],
] as const;
const LATER = [[2, 3], [4]] as const;

const checkedOf = (document: Bundle | Proof): Promise<CheckedDocument> =>
  checkDocument(utf8(JSON.stringify(document)), trust, options, () => Promise.resolve(undefined));
const bundleOf = (of: Ledgered, numbers: Parameters<typeof bundleIn>[1]) =>
  checkedOf(bundleIn([of, of], numbers));
/** Returns the last entry of a bundle, in no batch, and accepted a millisecond later. */
function acceptedLater(bundle: Bundle): Bundle {
  const { number, linkHash: _, ...fields } = bundle.entries.at(-1)!;
  const previous = bundle.entries.at(-2)!.linkHash;
  const later = { ...fields, acceptedAt: fields.acceptedAt + 1 };
  const place = { logId: bundle.log.logId, subjectType: bundle.subject.type, subject: bundle.subject.id };
  const linkHash = linkHashHex({ ...place, number, previous, bodyHash: bodyHash(later) });
  const entries = [{ ...later, number, linkHash }];
  return { ...bundle, state: 'PENDING', from: number, previous, entries, batches: [], blocks: [] };
}
const codesOf = (checked: readonly CheckedDocument[]) =>
  concludeCheck(checked).pairs.map(({ conflicts, warnings }) => [conflicts, warnings]);

t.test('bundles of one log agree, whatever parts of the history they hold', async (t) => {
  const all = [
    await bundleOf(trunk, NUMBERS),
    await bundleOf(trunk, LATER),
    await checkedOf(proofIn(trunk, 4)),
    await checkedOf(asCut(bundleIn([trunk, trunk], LATER))),
  ];
  for (const a of all)
    for (const b of all) {
      t.same(codesOf([a, b]), [[[], []]]);
      t.not(concludeCheck([a, b]).end, 'CONFLICT');
    }
  const both = all.slice(0, 2);
  t.match(
    printedChecks(both, concludeCheck(both), NAMES),
    /\nThe two documents do not contradict each other\.\n\nTogether: HOLDS, ONE LOG NOT SHOWN: every entry is in a block/,
  );
});

t.test('a bundle that was kept before the log was rewritten shows it, and says in which batch', async (t) => {
  const kept = await bundleOf(trunk, NUMBERS);
  const later = bundleIn([fork, fork], LATER);
  for (const [other, conflict] of [
    [await checkedOf(later), { code: 'BATCH_CONFLICT', numbers: [9] }],
    [await checkedOf(asCut(later)), { code: 'BATCH_CONFLICT', numbers: [9] }],
    [await bundleOf(fork, NUMBERS), { code: 'BATCH_CONFLICT', numbers: [7, 9] }],
    [await checkedOf(proofIn(fork, 4)), { code: 'LOG_CONFLICT', numbers: [10] }],
  ] as const)
    for (const checked of [
      [kept, other],
      [other, kept],
    ]) {
      const conclusion = concludeCheck(checked);
      t.equal(conclusion.end, 'CONFLICT');
      t.same(conclusion.pairs[0]?.conflicts, [conflict]);
      t.match(
        printedChecks(checked, conclusion, NAMES),
        /CONFLICT \w+: .* \(batch(es)? [\d, ]+\)\n(?: {2}warning .*\n)*CONFLICT: both documents carry the signature of the log/,
      );
    }
});

t.test('signed entries count of a bundle that fails, and unsigned ones accuse nobody', async (t) => {
  const kept = await bundleOf(trunk, NUMBERS);
  const mixed = await checkedOf(bundleIn([trunk, fork], NUMBERS));
  t.equal(mixed.verdict.outcome, 'FAILS');
  t.equal(concludeCheck([kept, mixed]).end, 'CONFLICT', 'its second batch is signed');
  const short = await checkedOf({
    ...bundleIn([fork, fork], NUMBERS),
    batches: [],
    blocks: [],
    state: 'PENDING',
  });
  t.same(codesOf([kept, short]), [[[], []]], 'the same entries, in no batch yet');
  const whole = bundleIn([trunk, trunk], NUMBERS);
  const strange = await checkedOf(acceptedLater(whole));
  t.same(codesOf([kept, strange]), [[[], ['UNSIGNED_CONTRADICTION']]]);
  const broken = await checkedOf({ ...whole, state: 'SENT', batches: [], blocks: [] });
  t.same(concludeCheck([kept, broken]), { end: 'FAILS', pairs: [] });
  t.match(
    printedChecks([kept, broken], concludeCheck([kept, broken]), NAMES),
    /\nTogether: FAILS: a document does not hold by itself, and was compared with no other\n$/,
  );
});

t.test('a bundle whose last entries wait is held against another by what is signed of it', async (t) => {
  const whole = bundleIn([trunk, trunk], NUMBERS);
  const waiting = await checkedOf({
    ...whole,
    state: 'PENDING',
    batches: whole.batches.slice(0, 1),
    blocks: whole.blocks.slice(0, 1),
  });
  t.equal(waiting.verdict.outcome, 'INCOMPLETE');
  for (const checked of [
    [waiting, await bundleOf(fork, NUMBERS)],
    [await bundleOf(fork, NUMBERS), waiting],
  ])
    t.same(concludeCheck(checked).pairs[0]?.conflicts, [{ code: 'BATCH_CONFLICT', numbers: [7] }]);
  const mixed = [waiting, await checkedOf(proofIn(trunk, 4))];
  const printed = printedChecks(mixed, concludeCheck(mixed), NAMES);
  t.match(
    printed,
    /\nThe two documents do not contradict each other\.\n\nTogether: INCOMPLETE: .* not every entry is shown/,
  );
  const three = concludeCheck([...mixed, await bundleOf(copies, LATER)]);
  t.strictSame(
    three.pairs.map(({ first, second, warnings }) => [first, second, ...warnings]),
    [
      [0, 1],
      [0, 2],
      [1, 2, 'TRANSACTIONS_DIFFER'],
    ],
  );
});

t.test('copies of anchors in blocks are told of bundles as of proofs', async (t) => {
  t.same(codesOf([await bundleOf(trunk, NUMBERS), await bundleOf(copies, LATER)]), [
    [[], ['TRANSACTIONS_DIFFER']],
  ]);
  const unmined = bundleIn([copies, copies], NUMBERS);
  const sent = await checkedOf({
    ...unmined,
    state: 'SENT',
    batches: unmined.batches.map((batch) => ({ ...batch, block: null })),
    blocks: [],
  });
  t.same(codesOf([await bundleOf(trunk, NUMBERS), sent]), [[[], ['TRANSACTION_REPLACED']]]);
});

t.test('the work of a comparison grows with the documents', async (t) => {
  const { verdict } = await bundleOf(trunk, NUMBERS);
  const [first] = 'proofs' in verdict ? verdict.proofs : [];
  const many = Array.from({ length: 1_000 }, (_, n) => ({
    ...first!,
    proof: { ...first!.proof!, entry: { ...first!.proof!.entry, number: n, linkHash: String(n % 2) } },
  }));
  const large = {
    verdict: { ...verdict, proofs: many },
    file: undefined,
    headers: undefined,
  } as CheckedDocument;
  const { end, pairs } = concludeCheck([large, large]);
  t.equal(end, 'CONFLICT');
  t.equal(pairs[0]?.conflicts[0]?.numbers.length, 999);
});
