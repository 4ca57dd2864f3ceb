/** The fourth step of a check: evidence from another source shows that the key signed one log only. */
import { Type, type Static } from 'typebox';
import { equalBytes, fromHex } from '../bytes/bytes.ts';
import { parseCheckpoint, verifyCheckpoint, type Checkpoint } from '../log/checkpoint.ts';
import { verifyConsistency } from '../log/merkle-consistency.ts';
import type { BatchPlace } from './check-batch.ts';
import type { SignatureCheck } from '../log/signature-check.ts';
import type { ProofFindings } from './findings.ts';
import { policyOfTrust } from './json.ts';
import type { ProofTrust } from './proof.ts';
import { closed, CountSchema, HashSchema } from '../schemas/common.ts';
import type { SealedBatch } from '../ledger/seal-chain.ts';
import { checkWitnesses, quorumOf, type Quorum } from '../log/witness-policy.ts';

export const CONSISTENCY_FORMAT = 'sentinel/consistency/v1';
/** Limit of a path: two hashes a level and one more, for a log of fewer than 2^53 batches. */
const CONSISTENCY_HASHES = 107;
export const CONSISTENCY_LIMITS = { documentBytes: 16_384, nesting: 2 } as const;

/** Proof that a log of `to` batches begins with one of `from` batches (RFC 6962 section 2.1.2). */
export const ConsistencySchema = closed({
  format: Type.Literal(CONSISTENCY_FORMAT),
  from: CountSchema,
  to: CountSchema,
  path: Type.Array(HashSchema, { maxItems: CONSISTENCY_HASHES }),
});
export type Consistency = Static<typeof ConsistencySchema>;

/** Result of `SealChain` after all lines. */
export interface CheckedSeals {
  readonly size: number;
  batch(number: number): SealedBatch | undefined;
}

/** Evidence from sources other than the proof. */
export interface OneLogEvidence {
  readonly seals?: CheckedSeals;
  /** Signed note that the checker kept. */
  readonly checkpoint?: string;
  /** Between the kept checkpoint and logs that end with a batch, in either direction. */
  readonly consistencies?: readonly Consistency[];
}

interface PlaceInLog {
  readonly place: BatchPlace;
  /** Hash of the transaction, in the byte order of hashing; undefined when it is missing or unreadable. */
  readonly hash: Uint8Array | undefined;
  /** Signed note in the proof, for the log that ends with the batch. */
  readonly checkpoint: string;
}

interface OneLogOptions {
  readonly verifySignature: SignatureCheck;
  readonly now: number;
  readonly oneLog?: OneLogEvidence;
}

export async function checkOneLog(
  of: PlaceInLog,
  trust: ProofTrust,
  { now, oneLog = {}, verifySignature }: OneLogOptions,
  findings: ProofFindings,
): Promise<void> {
  const { seals, checkpoint } = oneLog;
  const bySeals = seals !== undefined && checkSeals(of, seals, findings);
  const isKept =
    checkpoint !== undefined &&
    (await checkKept({ ...oneLog, checkpoint, place: of.place }, trust, verifySignature, findings));
  const byCheckpoint = isKept ? checkpoint : undefined;
  const notes = byCheckpoint === undefined ? [of.checkpoint] : [of.checkpoint, byCheckpoint];
  const byWitnesses = await checkWitnessed(notes, of.place, trust, { now, verifySignature }, findings);
  if (!bySeals) findings.claim('SINGLE_LOG');
  if (!bySeals && byCheckpoint === undefined && !byWitnesses) findings.warn('ONE_LOG_NOT_SHOWN');
}

function checkSeals({ place, hash }: PlaceInLog, seals: CheckedSeals, findings: ProofFindings): boolean {
  const sealed = seals.batch(place.batch);
  if (sealed === undefined) {
    findings.warn('SEALS_TOO_SHORT');
    return false;
  }
  const isSame =
    (hash === undefined || equalBytes(sealed.hash, hash)) &&
    equalBytes(sealed.headerHash, place.headerHash) &&
    equalBytes(sealed.logRoot, place.logRoot);
  if (!isSame) return findings.fail('SEALS_DIFFER');
  findings.hold('SEALS');
  return true;
}

type Kept = OneLogEvidence & { readonly checkpoint: string; readonly place: BatchPlace };

async function checkKept(
  kept: Kept,
  trust: ProofTrust,
  verifySignature: SignatureCheck,
  findings: ProofFindings,
): Promise<boolean> {
  const { origin, publicKey } = trust;
  const signed = await verifyCheckpoint(kept.checkpoint, origin, fromHex(publicKey), verifySignature);
  if (signed === undefined) return findings.fail('KEPT_CHECKPOINT_NOT_SIGNED');
  if (!isConsistent(kept, signed, findings)) return false;
  if (signed.size > kept.place.batch) findings.hold('KEPT_CHECKPOINT');
  else {
    findings.hold('KEPT_CHECKPOINT_CONTINUED');
    findings.warn('KEPT_CHECKPOINT_OLDER');
  }
  return true;
}

/**
 * Returns true when one of the notes, which the caller has checked to be of this log, reaches the quorum of the policy.
 * Skips notes that end before the batch.
 */
async function checkWitnessed(
  notes: readonly string[],
  { batch, closedAt }: BatchPlace,
  trust: ProofTrust,
  { now, verifySignature }: OneLogOptions,
  findings: ProofFindings,
): Promise<boolean> {
  const policy = policyOfTrust(trust);
  if (policy === undefined || policy === 'UNUSABLE') return false;
  const quorums: Quorum[] = [];
  for (const note of notes) {
    const signed = parseCheckpoint(note);
    if (signed === undefined || signed.size <= batch) continue;
    // A checkpoint with later batches is later still.
    const { times, impossible, invalid } = await checkWitnesses(policy, signed, verifySignature, {
      closedAt,
      now,
    });
    if (invalid.length > 0) return findings.fail('COSIGNATURE_INVALID');
    if (impossible.size > 0) findings.warn('COSIGNATURE_TIME');
    quorums.push(quorumOf(policy, new Set(times.keys())));
  }
  if (quorums.includes('REACHED')) findings.hold('WITNESSED');
  else if (quorums.includes('MISSING')) findings.warn('QUORUM_MISSING');
  return quorums.includes('REACHED');
}

/** Returns true when, of the kept log and the log that ends with the batch, the shorter is a prefix of the longer. */
function isConsistent(kept: Kept, signed: Checkpoint, findings: ProofFindings): boolean {
  const own = { size: kept.place.batch + 1, root: kept.place.logRoot };
  const known = signed.size === own.size ? own.root : rootBySeals(kept, signed.size);
  if (known !== undefined) return equalBytes(known, signed.root) || findings.fail('KEPT_CHECKPOINT_DIFFERS');
  const [shorter, longer] = signed.size < own.size ? [signed, own] : [own, signed];
  const consistency = kept.consistencies?.find(({ from, to }) => from === shorter.size && to === longer.size);
  // The empty log is a prefix of every log, so it proves nothing.
  if (consistency === undefined || shorter.size === 0) {
    findings.warn('CONSISTENCY_NOT_SHOWN');
    return false;
  }
  const path = consistency.path.map(fromHex);
  return (
    verifyConsistency(shorter.size, shorter.root, longer.size, longer.root, path) ||
    findings.fail('NOT_CONSISTENT')
  );
}

/** Returns the root of the log of `size` batches from the seals, if they also contain the batch of the proof. */
function rootBySeals({ seals, place }: Kept, size: number): Uint8Array | undefined {
  return seals?.batch(place.batch) === undefined ? undefined : seals.batch(size - 1)?.logRoot;
}
