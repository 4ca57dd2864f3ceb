/** Checks a proof with only the trust file, block headers and the given time: no network. */
import { sha256 } from '#sha256';
import { Check } from 'typebox/value';
import { fromHex, toHex, utf8 } from '../bytes/bytes.ts';
import { isLogOrigin, logIdOf } from '../log/checkpoint.ts';
import { checkBatch } from './check-batch.ts';
import type { SignatureCheck } from '../log/signature-check.ts';
import { checkBlock, type SeenBlock } from './check-block.ts';
import { checkEntry } from './check-entry.ts';
import { checkTransaction } from './check-transaction.ts';
import { checkOneLog, type OneLogEvidence } from './check-one-log.ts';
import { ProofFindings, type ProofFailure, type ProofHolding, type ProofWarning } from './findings.ts';
import { isForgeable, isUnknownNetwork } from '../ledger/header-difficulty.ts';
import type { HeaderChain } from './headers.ts';
import { policyOfTrust, readProof } from './json.ts';
import { ProofTrustSchema, stateOfParts, type Proof, type ProofTrust } from './proof.ts';

const HOUR_MS = 3_600_000;

export interface ProofCheckOptions {
  /** From a source other than the proof (`checkHeaders`). Without headers the block is only claimed. */
  readonly headers?: HeaderChain;
  readonly verifySignature: SignatureCheck;
  /** Time of the check, in milliseconds since 1970: no witness can have cosigned later. */
  readonly now: number;
  /** Evidence of a single log, from sources other than the proof. Without it, HOLDS needs a quorum of witnesses. */
  readonly oneLog?: OneLogEvidence;
  /**
   * Network without rules in this software whose blocks the checker knows to be public. Never from the trust file: a
   * network that only the trust file names is not public.
   */
  readonly ownNetwork?: string;
  /** How long an entry of its category may wait for a transaction, in milliseconds. Default: one hour, as for STANDARD. */
  readonly intervalMs?: number;
}

/** Only `HOLDS` is backed by a public ledger. */
export type ProofOutcome =
  | 'FAILS'
  | 'INCOMPLETE'
  | 'NOT_PUBLIC'
  | 'SELF_SUPPLIED'
  | 'ONE_LOG_NOT_SHOWN'
  | 'HOLDS';

export interface ProofVerdict extends Pick<ProofFindings, 'holds' | 'fails' | 'claimed' | 'warnings'> {
  readonly outcome: ProofOutcome;
  /** Findings that fail, then warnings. */
  readonly codes: readonly (ProofFailure | ProofWarning)[];
  /** undefined when the document could not be read. */
  readonly proof: Proof | undefined;
  /** undefined unless the block is in the given headers. */
  readonly block: SeenBlock | undefined;
}

/** Findings that together show that the log signed an entry, whatever else does not hold. */
const SIGNED_BY = ['LOG', 'LINK', 'LEAF', 'BATCH'] as const satisfies readonly ProofHolding[];

/** Returns whether the log signed the entry: a checkpoint of the trusted key leads to it. */
export const isSigned = ({ holds }: Pick<ProofVerdict, 'holds'>): boolean =>
  SIGNED_BY.every((code) => holds.some((one) => one.code === code));

/**
 * Checks a proof.
 * @param document as received, UTF-8; an object is serialised with `JSON.stringify`
 * @param trust from a source other than the proof
 */
export async function checkProof(
  document: Uint8Array | string | object,
  trust: ProofTrust,
  options: ProofCheckOptions,
): Promise<ProofVerdict> {
  const findings = new ProofFindings();
  const read = readProof(bytesOf(document));
  if ('problem' in read) {
    findings.fail(read.problem, read.member);
    return verdictOf(findings, undefined, undefined);
  }
  return checkReadProof(read.value, trust, options, findings);
}

/** Checks a parsed proof; `findings` may already contain some. */
export async function checkReadProof(
  proof: Proof,
  trust: ProofTrust,
  options: ProofCheckOptions,
  findings: ProofFindings,
): Promise<ProofVerdict> {
  if (!isUsable(trust)) {
    findings.fail('TRUST_UNUSABLE');
    return verdictOf(findings, proof, undefined);
  }
  return verdictOf(findings, proof, await checkParts(proof, trust, options, findings));
}

/** Returns the bytes of a document; an object is serialised with `JSON.stringify`. */
export function bytesOf(document: Uint8Array | string | object): Uint8Array {
  if (document instanceof Uint8Array) return document;
  return utf8(typeof document === 'string' ? document : JSON.stringify(document));
}

function isUsable(trust: ProofTrust): boolean {
  return Check(ProofTrustSchema, trust) && isLogOrigin(trust.origin) && policyOfTrust(trust) !== 'UNUSABLE';
}

/** Checks every part, so that a person sees every fault. */
async function checkParts(
  proof: Proof,
  trust: ProofTrust,
  options: ProofCheckOptions,
  findings: ProofFindings,
): Promise<SeenBlock | undefined> {
  const { batch, transaction, block } = proof;
  if (stateOfParts(proof) !== proof.state) findings.fail('STATE_DIFFERS');
  checkLog(proof, trust, findings);
  checkEntry(proof, findings);
  findings.warn('COMPLETENESS_NOT_SHOWN');
  if (block === null) findings.warn('INCOMPLETE');
  const place = batch === null ? undefined : await checkBatch(proof, batch, trust, options, findings);
  const hash = transaction === null ? undefined : checkTransaction(transaction, place, trust, findings);
  if (batch !== null && place !== undefined) {
    const of = { place, hash, checkpoint: batch.checkpoint };
    await checkOneLog(of, trust, options, findings);
  }
  if (transaction === null) return undefined;
  checkNetwork(transaction.network, options, findings);
  if (block === null || hash === undefined) return undefined;
  const { acceptedAt } = proof.entry;
  return checkBlock({ block, hash, acceptedAt, intervalMs: HOUR_MS, ...options }, findings);
}

function checkNetwork(network: string, { ownNetwork }: ProofCheckOptions, findings: ProofFindings): void {
  if (isForgeable(network)) findings.warn('NOT_PUBLIC');
  else if (isUnknownNetwork(network) && network !== ownNetwork) findings.warn('NETWORK_UNKNOWN');
}

function checkLog({ log }: Proof, trust: ProofTrust, findings: ProofFindings): void {
  const publicKey = fromHex(trust.publicKey);
  const isTrusted =
    log.origin === trust.origin &&
    log.logId === toHex(logIdOf(publicKey)) &&
    log.keyFingerprint === toHex(sha256(publicKey));
  if (isTrusted) findings.hold('LOG');
  else findings.fail('LOG_DIFFERS');
}

function verdictOf(
  { holds, fails, claimed, warnings }: ProofFindings,
  proof: Proof | undefined,
  block: SeenBlock | undefined,
): ProofVerdict {
  const codes = [...fails, ...warnings].map(({ code }) => code);
  const has = (code: ProofWarning): boolean => warnings.some((warning) => warning.code === code);
  const outcome =
    fails.length > 0
      ? 'FAILS'
      : has('INCOMPLETE')
        ? 'INCOMPLETE'
        : has('NOT_PUBLIC') || has('NETWORK_UNKNOWN')
          ? 'NOT_PUBLIC'
          : block === undefined
            ? 'SELF_SUPPLIED'
            : has('ONE_LOG_NOT_SHOWN')
              ? 'ONE_LOG_NOT_SHOWN'
              : 'HOLDS';
  return { outcome, holds, fails, claimed, warnings, codes, proof, block };
}
