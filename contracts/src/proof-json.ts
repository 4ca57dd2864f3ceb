import { fromHex } from './bytes.ts';
import { noteVerifierKey } from './checkpoint.ts';
import { PROOF_LIMITS, ProofSchema, ProofTrustSchema, type Proof, type ProofTrust } from './proof.ts';
import { readStrictJson, type StrictJson } from './strict-json.ts';
import { misfitOf, parsePolicy, type WitnessPolicy } from './witness-policy.ts';

/** Returns the proof, or the problem of the document. @param document UTF-8 */
export function readProof(document: Uint8Array): StrictJson<Proof> {
  return readStrictJson(document, ProofSchema, PROOF_LIMITS);
}

export const TRUST_LIMITS = { documentBytes: 65_536, nesting: 6 } as const;

/** Reads a trust file as strictly as a proof. Refuses a `vkey` or `policy` of another log. @param document UTF-8 */
export function readTrustFile(document: Uint8Array): StrictJson<ProofTrust> {
  const read = readStrictJson(document, ProofTrustSchema, TRUST_LIMITS);
  if (!('value' in read)) return read;
  const { origin, publicKey, vkey } = read.value;
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
