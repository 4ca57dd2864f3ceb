import { Check } from 'typebox/value';
import { fromHex } from '../bytes/bytes.ts';
import { isLogOrigin, noteVerifierKey } from '../log/checkpoint.ts';
import { isUsableEd25519Key } from '../log/ed25519-key.ts';
import {
  ProofSchema,
  ProofTrustSchema,
  TRUST_POLICY_CHARACTERS,
  type Proof,
  type ProofTrust,
} from './proof.ts';
import { PROOF_LIMITS } from '../proof-limits.ts';
import { readStrictJson, type StrictJson } from '../bytes/strict-json.ts';
import { formatPolicy, misfitOf, parsePolicy, type WitnessPolicy } from '../log/witness-policy.ts';

/** Returns the proof, or the problem of the document. @param document UTF-8 */
export function readProof(document: Uint8Array): StrictJson<Proof> {
  return readStrictJson(document, ProofSchema, PROOF_LIMITS);
}

export const TRUST_LIMITS = { documentBytes: 65_536, nesting: 6 } as const;

/** Reads a trust file as strictly as a proof. Refuses an origin or a key that no log can have, and a `vkey` or `policy` of another log. @param document UTF-8 */
export function readTrustFile(document: Uint8Array): StrictJson<ProofTrust> {
  const read = readStrictJson(document, ProofTrustSchema, TRUST_LIMITS);
  if (!('value' in read)) return read;
  const { origin, publicKey, vkey } = read.value;
  if (!isLogOrigin(origin)) return { problem: 'UNKNOWN_FORM', member: '/origin' };
  if (!isUsableEd25519Key(fromHex(publicKey))) return { problem: 'UNKNOWN_FORM', member: '/publicKey' };
  if (vkey !== undefined && vkey !== noteVerifierKey(origin, fromHex(publicKey)))
    return { problem: 'UNKNOWN_FORM', member: '/vkey' };
  return policyOfTrust(read.value) === 'UNUSABLE' ? { problem: 'UNKNOWN_FORM', member: '/policy' } : read;
}

/** Returns the policy of a trust file; undefined when absent; `UNUSABLE` when malformed or not for the log. */
export function policyOfTrust(trust: ProofTrust): WitnessPolicy | 'UNUSABLE' | undefined {
  if (trust.policy === undefined) return undefined;
  const read = parsePolicy(trust.policy);
  if ('problem' in read) return 'UNUSABLE';
  const misfit = misfitOf(read.policy, trust.origin, fromHex(trust.publicKey));
  return misfit === undefined ? read.policy : 'UNUSABLE';
}

/** Returns the text of a policy for a trust file; undefined when it is too long for one. */
export function trustPolicyOf(policy: WitnessPolicy): string | undefined {
  const text = formatPolicy(policy);
  return Check(ProofTrustSchema.properties.policy, text) ? text : undefined;
}

/** The message about a policy that `trustPolicyOf` does not return. */
export const POLICY_TOO_LONG = `without comments and blanks ${TRUST_POLICY_CHARACTERS} characters at most`;
