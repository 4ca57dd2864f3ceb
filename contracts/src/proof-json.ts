import { fromHex } from './bytes.ts';
import { noteVerifierKey } from './checkpoint.ts';
import { PROOF_LIMITS, ProofSchema, ProofTrustSchema, type Proof, type ProofTrust } from './proof.ts';
import { readStrictJson, type StrictJson } from './strict-json.ts';

/** The proof, or why it is none. @param document UTF-8 */
export function readProof(document: Uint8Array): StrictJson<Proof> {
  return readStrictJson(document, ProofSchema, PROOF_LIMITS);
}

const TRUST_LIMITS = { documentBytes: 65_536, nesting: 6 };

/** The trust file, read as strictly as proofs. A `vkey` of another key or origin is no form of it. @param document UTF-8 */
export function readTrustFile(document: Uint8Array): StrictJson<ProofTrust> {
  const read = readStrictJson(document, ProofTrustSchema, TRUST_LIMITS);
  if (!('value' in read) || read.value.vkey === undefined) return read;
  const { origin, publicKey, vkey } = read.value;
  const isOfKey = vkey === noteVerifierKey(origin, fromHex(publicKey));
  return isOfKey ? read : { problem: 'UNKNOWN_FORM', member: '/vkey' };
}
