/** Checks a bundle: each entry like a standalone proof, and that no entry is missing. Uses no clock and no network. */
import { batchHeaderHash, decodeBatchHeader, type BatchHeader } from '../log/batch-header.ts';
import { equalBytes, fromHex, toHex } from '../bytes/bytes.ts';
import { LogRanges } from './log-ranges.ts';
import { bytesOf, checkReadProof, type ProofCheckOptions, type ProofOutcome } from './check.ts';
import type { ProofVerdict } from './check.ts';
import type { SignatureCheck } from '../log/signature-check.ts';
import { proofsOfBundle, readBundle, type Bundle } from './bundle.ts';
import { ProofFindings, type Finding, type ProofFailure } from './findings.ts';
import type { ProofClaim, ProofHolding, ProofWarning } from './findings.ts';
import { PROOF_STATES, type ProofTrust } from './proof.ts';
import { SpentSeals } from './spent-seals.ts';

export interface BundleCheckOptions extends ProofCheckOptions {
  /** Called before each entry, so that a page can do other work during a long check. An exception ends the check. */
  readonly step?: (done: number, total: number) => Promise<void>;
}

/** Finding about some entries; about no particular entry when `numbers` is empty. */
export interface BundleFinding<Code extends string> extends Finding<Code> {
  readonly numbers: readonly number[];
}

export interface BundleVerdict {
  /**
   * Most serious outcome of the entries; FAILS when the bundle as a whole has a fault, and at best ONE_LOG_NOT_SHOWN when its
   * transactions are not of one chain of seals.
   */
  readonly outcome: ProofOutcome;
  readonly holds: readonly BundleFinding<ProofHolding>[];
  readonly fails: readonly BundleFinding<ProofFailure>[];
  readonly claimed: readonly BundleFinding<ProofClaim>[];
  readonly warnings: readonly BundleFinding<ProofWarning>[];
  /** Codes of the failures, then of the warnings. */
  readonly codes: readonly (ProofFailure | ProofWarning)[];
  /** undefined when the document could not be read. */
  readonly bundle: Bundle | undefined;
  /** In the order of the document. */
  readonly entries: readonly (Pick<ProofVerdict, 'outcome' | 'block'> & { readonly number: number })[];
  /** The entries as checked proofs, in the order of the document. */
  readonly proofs: readonly ProofVerdict[];
}

/** Outcomes, most serious first: the outcome of several proofs is the first that one of them has. */
export const BY_SERIOUSNESS: readonly ProofOutcome[] = [
  'FAILS',
  'INCOMPLETE',
  'SELF_SUPPLIED',
  'NOT_PUBLIC',
  'ONE_LOG_NOT_SHOWN',
  'HOLDS',
];

/**
 * Checks a bundle.
 * @param document as received, UTF-8; an object is serialised with `JSON.stringify`
 * @param trust from a source other than the bundle
 */
export async function checkBundle(
  document: Uint8Array | string | object,
  trust: ProofTrust,
  options: BundleCheckOptions,
): Promise<BundleVerdict> {
  const whole = new ProofFindings();
  const read = readBundle(bytesOf(document));
  if ('problem' in read) {
    whole.fail(read.problem, read.member);
    return verdictOf(undefined, whole, []);
  }
  const bundle = read.value;
  const proofs = proofsOfBundle(bundle);
  checkRange(bundle, whole);
  checkBatches(bundle, whole);
  checkBlocks(bundle, whole);
  const least = PROOF_STATES.find((state) => proofs.some(({ proof }) => proof.state === state));
  if (least !== bundle.state) whole.fail('STATE_DIFFERS');
  const verifySignature = remembered(options.verifySignature);
  const verdicts: ProofVerdict[] = [];
  for (const { isPlaced, proof } of proofs) {
    await options.step?.(verdicts.length, proofs.length);
    const findings = new ProofFindings();
    if (!isPlaced) findings.fail('LEAF_NOT_IN_BATCH');
    verdicts.push(await checkReadProof(proof, trust, { ...options, verifySignature }, findings));
  }
  return verdictOf(bundle, whole, verdicts);
}

/** Checks only the numbers: the link hash of each entry already covers the entry before. */
function checkRange({ entries, from, to }: Bundle, findings: ProofFindings): void {
  const wrong = entries.findIndex(({ number }, at) => number !== from + at);
  if (wrong >= 0) findings.fail('ENTRY_MISSING', `/entries/${wrong}`);
  else if (from + entries.length - 1 !== to) findings.fail('ENTRY_MISSING', '/to');
  else findings.hold('RANGE');
  findings.warn('NEWEST_NOT_SHOWN');
  if (from > 0) findings.warn('OLDER_NOT_SHOWN');
}

/**
 * Batches contain the entries of a subject in order, so each batch begins where the one before ended. All are of one log: a
 * checkpoint that was kept before two logs differed leads to the batches of both.
 */
function checkBatches({ batches, from, to }: Bundle, findings: ProofFindings): void {
  const ranges = new LogRanges();
  const seals = new SpentSeals();
  let next = from;
  let before: { readonly header: BatchHeader; readonly hash: Uint8Array } | undefined;
  for (const [at, batch] of batches.entries()) {
    const fail = () => findings.fail('BATCHES_DIFFER', `/batches/${at}`);
    if (batch.from !== next || batch.to < batch.from || batch.to > to) fail();
    next = batch.to + 1;
    if (!ranges.add(batch)) fail();
    const bytes = fromHex(batch.header);
    const header = decodeBatchHeader(bytes);
    // A malformed header already fails in the check of its entries.
    if (header === undefined) continue;
    if (before !== undefined && !follows(before, header)) fail();
    before = { header, hash: batchHeaderHash(bytes) };
    if (batch.block !== null && !seals.add(header.batch, batch.transaction))
      findings.warn('TRANSACTIONS_DIFFER');
  }
}

function follows(
  before: { readonly header: BatchHeader; readonly hash: Uint8Array },
  { batch, previousHash }: BatchHeader,
): boolean {
  const distance = batch - before.header.batch;
  return distance > 1 || (distance === 1 && equalBytes(previousHash, before.hash));
}

function checkBlocks({ batches, blocks }: Bundle, findings: ProofFindings): void {
  const named = new Set(batches.flatMap(({ block }) => block?.hash ?? []));
  const there = new Set(blocks.map(({ hash }) => hash));
  if (
    there.size !== blocks.length ||
    named.size !== there.size ||
    [...named].some((hash) => !there.has(hash))
  )
    findings.fail('BLOCKS_DIFFER');
}

/** Checks each signature once, because entries of a batch share its signatures. */
function remembered(verify: SignatureCheck): SignatureCheck {
  const known = new Map<string, ReturnType<SignatureCheck>>();
  return (message, signature, publicKey) => {
    const key = [message, signature, publicKey].map(toHex).join();
    const verified = known.get(key) ?? verify(message, signature, publicKey);
    known.set(key, verified);
    return verified;
  };
}

type FindingLists = Pick<ProofFindings, 'holds' | 'fails' | 'claimed' | 'warnings'>;

function verdictOf(
  bundle: Bundle | undefined,
  whole: ProofFindings,
  verdicts: readonly ProofVerdict[],
): BundleVerdict {
  const entries = verdicts.map(({ block, outcome }, at) => ({
    number: bundle!.entries[at]!.number,
    outcome,
    block,
  }));
  const outcomes = new Set(entries.map(({ outcome }) => outcome));
  if (whole.fails.length > 0) outcomes.add('FAILS');
  if (whole.warnings.some(({ code }) => code === 'TRANSACTIONS_DIFFER')) outcomes.add('ONE_LOG_NOT_SHOWN');
  const gather = <Code extends string>(of: (from: FindingLists) => readonly Finding<Code>[]) =>
    gathered(
      of(whole),
      verdicts.map((verdict, at) => [entries[at]!.number, of(verdict)]),
    );
  const fails = gather((from) => from.fails);
  // This warning is for single proofs; a bundle states its completeness.
  const warnings = gather((from) => from.warnings).filter(({ code }) => code !== 'COMPLETENESS_NOT_SHOWN');
  return {
    outcome: BY_SERIOUSNESS.find((outcome) => outcomes.has(outcome)) ?? 'FAILS',
    holds: gather((from) => from.holds),
    fails,
    claimed: gather((from) => from.claimed),
    warnings,
    codes: [...fails, ...warnings].map(({ code }) => code),
    bundle,
    entries,
    proofs: verdicts,
  };
}

/** Returns each code once, with the numbers of its entries. */
function gathered<Code extends string>(
  whole: readonly Finding<Code>[],
  each: readonly (readonly [number, readonly Finding<Code>[]])[],
): BundleFinding<Code>[] {
  const found = new Map<string, { code: Code; text: string; numbers: number[] }>();
  for (const { code, text } of whole) found.set(code, { code, text, numbers: [] });
  for (const [number, findings] of each)
    for (const { code, text } of findings) {
      const known = found.get(code) ?? { code, text, numbers: [] };
      if (!found.has(code)) found.set(code, known);
      known.numbers.push(number);
    }
  return [...found.values()];
}
