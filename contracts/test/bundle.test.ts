import t from 'tap';
import { utf8 } from '../src/bytes/bytes.ts';
import { checkBundle, type BundleCheckOptions } from '../src/proof/check-bundle.ts';
import { proofsOfBundle, readBundle, BUNDLE_LIMITS, type Bundle } from '../src/proof/bundle.ts';
import { checkProof } from '../src/proof/check.ts';

import { bundleNamed, bundles, knowing, two } from './bundle-support.ts';
import { knowing as knowingProof, offline, online, proofs, trust } from './proof-support.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends object | null ? Mutable<T[K]> : T[K] };
type Change = (bundle: Mutable<Bundle>) => void;

async function after(change: Change, bundle: Bundle = two, options: BundleCheckOptions = knowing) {
  const copy = structuredClone(bundle) as Mutable<Bundle>;
  change(copy);
  return checkBundle(copy, trust, options);
}

t.test('what each recorded bundle shows', async (t) => {
  const outcomes = ['HOLDS', 'HOLDS', 'HOLDS', 'HOLDS', 'INCOMPLETE', 'INCOMPLETE'];
  for (const [at, { bundle, name }] of bundles.entries()) {
    const verdict = await checkBundle(bundle, trust, knowing);
    t.equal(verdict.outcome, outcomes[at], name);
    t.same(verdict.fails, [], name);
    t.same(
      verdict.entries.map(({ number }) => number),
      bundle.entries.map(({ number }) => number),
    );
    t.ok(verdict.holds.some(({ code }) => code === 'RANGE'));
    t.ok(verdict.codes.includes('NEWEST_NOT_SHOWN'), 'never says that it ends with the newest');
    t.equal(verdict.codes.includes('OLDER_NOT_SHOWN'), bundle.from > 0, 'says that it begins later');
    t.notOk(verdict.codes.includes('COMPLETENESS_NOT_SHOWN'));
  }
  const waiting = await checkBundle(bundleNamed('the last entries wait'), trust, knowing);
  t.strictSame(waiting.warnings.find(({ code }) => code === 'INCOMPLETE')?.numbers, [7, 8, 9, 10]);
});

t.test('without headers, or one log shown, it holds no more than a proof does', async (t) => {
  t.equal((await checkBundle(two, trust, offline)).outcome, 'SELF_SUPPLIED');
  t.equal((await checkBundle(two, trust, online)).outcome, 'ONE_LOG_NOT_SHOWN');
  const oneLog = { ...knowing.oneLog, consistencies: [] };
  const some = await checkBundle(two, trust, { ...knowing, oneLog });
  t.equal(some.outcome, 'ONE_LOG_NOT_SHOWN', 'one batch of the two is not led to the kept checkpoint');
  t.strictSame(some.warnings.find(({ code }) => code === 'CONSISTENCY_NOT_SHOWN')?.numbers, [0]);
  t.equal((await checkBundle(two, { ...trust, origin: '' }, knowing)).outcome, 'FAILS');
});

t.test('each entry of a bundle is what its own proof would be', async (t) => {
  const whole = proofs[0]!.proof;
  const { proof } = proofsOfBundle(two).find((one) => one.proof.entry.number === whole.entry.number)!;
  t.strictSame(JSON.parse(JSON.stringify(proof)), JSON.parse(JSON.stringify(whole)));
  for (const one of proofsOfBundle(two))
    t.equal((await checkProof(one.proof, trust, knowingProof(one.proof))).outcome, 'HOLDS');
});

t.test('an entry that is missing, doubled or elsewhere does not hold', async (t) => {
  const entries = two.entries.length;
  for (let at = 0; at < entries; at++) {
    const missing = await after(({ entries: list }) => void list.splice(at, 1));
    t.match(missing, { outcome: 'FAILS' }, `without ${at}`);
    t.ok(missing.codes.includes('ENTRY_MISSING'), `without ${at}`);
    const doubled = await after(({ entries: list }) => void list.splice(at, 0, list[at]!));
    t.ok(doubled.codes.includes('ENTRY_MISSING'), `${at} twice`);
    if (at > 0) {
      const swapped = await after(
        ({ entries: list }) => void list.splice(at - 1, 2, list[at]!, list[at - 1]!),
      );
      t.ok(swapped.codes.includes('ENTRY_MISSING'), `${at} before ${at - 1}`);
    }
  }
  const shorter =
    (at: number): Change =>
    (bundle) => {
      bundle.entries.splice(at, 1);
      for (const [index, entry] of bundle.entries.entries()) entry.number = index;
      bundle.to -= 1;
      for (const batch of bundle.batches)
        [batch.from, batch.to] = [Math.max(batch.from - 1, 0), batch.to - 1];
    };
  for (let at = 0; at < entries; at++)
    t.equal((await after(shorter(at))).outcome, 'FAILS', `${at} left out and the rest numbered again`);
  t.equal((await after((bundle) => void (bundle.to += 1))).outcome, 'FAILS', 'less than it says');
  t.equal((await after((bundle) => void (bundle.from += 1))).outcome, 'FAILS');
  const { outcome, fails } = await after((bundle) => void (bundle.entries[3]!.acceptedAt += 1));
  t.equal(outcome, 'FAILS');
  const named = fails.map(({ code, numbers }) => ({ code, numbers }));
  t.strictSame(named, [{ code: 'LINK_HASH_DIFFERS', numbers: [3] }], 'the entry that was changed is named');
});

t.test('entries, batches and blocks of elsewhere do not hold', async (t) => {
  const other = bundleNamed('of one batch');
  const ways: readonly [string, Change][] = [
    ['LINK_HASH_DIFFERS', (bundle) => void (bundle.entries[4] = structuredClone(other.entries[4]!))],
    ['LINK_HASH_DIFFERS', (bundle) => void (bundle.subject.id = other.subject.id)],
    ['ENTRY_IMPOSSIBLE', (bundle) => void (bundle.previous = 'ab'.repeat(32))],
    ['BATCHES_DIFFER', (bundle) => void bundle.batches.push(structuredClone(two.batches[1]!))],
    ['BATCHES_DIFFER', (bundle) => void bundle.batches.unshift(structuredClone(two.batches[0]!))],
    ['BATCHES_DIFFER', (bundle) => void bundle.batches.reverse()],
    ['BATCHES_DIFFER', (bundle) => void (bundle.batches[1]!.header = bundle.batches[0]!.header)],
    ['BATCHES_DIFFER', (bundle) => void bundle.batches.shift()],
    ['BATCHES_DIFFER', (bundle) => void (bundle.batches[1]!.to += 1)],
    ['STATE_DIFFERS', (bundle) => void bundle.batches.pop()],
    ['STATE_DIFFERS', (bundle) => void (bundle.batches[0]!.block = null)],
    ['LEAF_NOT_IN_BATCH', (bundle) => void bundle.batches[1]!.nodes.push('00'.repeat(32))],
    ['LEAF_NOT_IN_BATCH', (bundle) => void bundle.batches[1]!.nodes.pop()],
    ['LEAF_NOT_IN_BATCH', (bundle) => void (bundle.batches[1]!.leafIndex += 1)],
    ['LEAF_NOT_IN_BATCH', (bundle) => void (bundle.batches[1]!.leafIndex = 2 ** 53 - 1)],
    ['HEADER_UNREADABLE', (bundle) => void (bundle.batches[1]!.header = '00'.repeat(182))],
    ['BLOCKS_DIFFER', (bundle) => void (bundle.batches[1]!.block!.hash = '00'.repeat(32))],
    ['BLOCKS_DIFFER', (bundle) => void bundle.blocks.push(structuredClone(other.blocks[0]!))],
    ['BLOCKS_DIFFER', (bundle) => void bundle.blocks.push(structuredClone(bundle.blocks[0]!))],
    ['BLOCKS_DIFFER', (bundle) => void bundle.blocks.pop()],
    ['ANCHOR_DIFFERS', (bundle) => void (bundle.batches[1]!.transaction = bundle.batches[0]!.transaction)],
  ];
  for (const [code, change] of ways) {
    const verdict = await after(change);
    t.equal(verdict.outcome, 'FAILS', code);
    t.ok(verdict.codes.includes(code as never), `${code}: ${verdict.codes.join()}`);
  }
});

t.test('neighbouring batches follow one another', async (t) => {
  const { header } = two.batches[0]!;
  const next = (previous: string): string =>
    `${header.slice(0, 100)}${'2'.padStart(16, '0')}${previous}${header.slice(180)}`;
  const verdict = await after((bundle) => void (bundle.batches[1]!.header = next('ab'.repeat(32))));
  t.ok(verdict.codes.includes('BATCHES_DIFFER'));
});

t.test('hostile documents are refused, and early', async (t) => {
  const problemOf = (document: Uint8Array) => {
    const read = readBundle(document);
    return 'problem' in read ? read.problem : 'none';
  };
  t.equal(problemOf(new Uint8Array(104_857_600).fill(0x20)), 'TOO_LARGE');
  t.equal(problemOf(utf8('['.repeat(1_000_000))), 'UNKNOWN_FORM');
  const many = { ...two, entries: new Array(BUNDLE_LIMITS.entries + 1).fill(two.entries[0]) };
  t.equal(problemOf(utf8(JSON.stringify(many))), 'UNKNOWN_FORM');
  for (const change of [{ from: -1 }, { to: -1 }, { from: 0.5 }, { entries: [] }, { surprise: 1 }])
    t.equal(problemOf(utf8(JSON.stringify({ ...two, ...change }))), 'UNKNOWN_FORM', JSON.stringify(change));
  t.equal(problemOf(utf8(JSON.stringify(two).replace('"from"', '"from":0,"from"'))), 'AMBIGUOUS_JSON');
  t.equal((await checkBundle(proofs[0]!.proof, trust, knowing)).outcome, 'FAILS', 'a proof is no bundle');
  t.equal((await checkProof(two, trust, knowing)).outcome, 'FAILS', 'a bundle is no proof');
  const { outcome, bundle, entries } = await after((wrong) => void (wrong.to = -1));
  t.strictSame({ outcome, bundle, entries }, { outcome: 'FAILS', bundle: undefined, entries: [] });
});

t.test('the work of a check grows with the document, whatever ranges it claims', async (t) => {
  const claims = new Array(BUNDLE_LIMITS.entries).fill({ ...two.batches[1]!, from: 0, to: 2 ** 53 - 2 });
  let signatures = 0;
  const verifySignature: typeof knowing.verifySignature = (...given) => {
    signatures += 1;
    return knowing.verifySignature(...given);
  };
  const verdict = await checkBundle({ ...two, batches: claims }, trust, { ...knowing, verifySignature });
  t.ok(verdict.codes.includes('BATCHES_DIFFER'));
  t.ok(signatures <= 2, 'a signature is checked once, however often it is there');
});
