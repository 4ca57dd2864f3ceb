/** The recorded proofs, and the trusted inputs of their verifier. */
import { createPublicKey, verify } from 'node:crypto';
import { fromHex } from '../src/bytes/bytes.ts';
import type { ProofCheckOptions } from '../src/proof/check.ts';
import { CONSISTENCY_FORMAT, type OneLogEvidence } from '../src/proof/check-one-log.ts';
import { checkHeaders, type HeaderChain, type HeaderCheckpoint } from '../src/proof/headers.ts';
import type { InputNames } from '../src/proof/report.ts';
import type { Proof, ProofTrust } from '../src/proof/proof.ts';
import { vector } from './support.ts';

interface Vectors {
  readonly trust: ProofTrust;
  readonly checkpoint: HeaderCheckpoint;
  readonly headers: string;
  readonly proofs: readonly { readonly name: string; readonly proof: Proof }[];
}
export const { trust, checkpoint, headers: headersHex, proofs } = vector<Vectors>('proof.json');
/** Network of the recorded headers: the blocks are far too easy for `test`, the network that their transactions name. */
export const RECORDED_NETWORK = 'recorded';
export const headers = checkHeaders(fromHex(headersHex), checkpoint, RECORDED_NETWORK) as HeaderChain;

/** Names of the inputs in reports. */
export const NAMES: InputNames = {
  headers: 'HEADERS',
  knownBlock: 'KNOWN',
  seals: 'SEALS',
  checkpoint: 'CHECKPOINT',
  policy: 'POLICY',
};

// Prefix of a SubjectPublicKeyInfo with a raw Ed25519 key (RFC 8410).
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
const verifySignature: ProofCheckOptions['verifySignature'] = (message, signature, publicKey) => {
  const key = createPublicKey({ key: Buffer.concat([SPKI, publicKey]), format: 'der', type: 'spki' });
  return verify(null, message, key, signature);
};
/** Later than every recorded time. */
export const NOW = 1_800_000_000_000;
export const online: ProofCheckOptions = { headers, verifySignature, now: NOW };
/** Adds to `online` the kept checkpoint of the last batch, and proofs that it extends earlier logs. */
export const knowing = (proof: Proof): ProofCheckOptions => ({ ...online, oneLog: keptOf(proof) });

const log = vector<{
  readonly checkpoints: readonly { readonly note: string }[];
  readonly consistency: readonly { readonly from: number; readonly to: number; readonly path: string[] }[];
}>('log.json');
function keptOf({ batch }: Proof): OneLogEvidence {
  const from = batch === null ? 1 : Number.parseInt(batch.header.slice(100, 116), 16) + 1;
  const to = log.checkpoints.length;
  const { path } = log.consistency.find((one) => one.from === from && one.to === to)!;
  const consistencies = [{ format: CONSISTENCY_FORMAT, from, to, path }] as const;
  return { checkpoint: log.checkpoints[to - 1]!.note, consistencies };
}
export const offline: ProofCheckOptions = { verifySignature, now: NOW };

export const named = (name: string): Proof => proofs.find((one) => one.name === name)!.proof;
export const whole = named('whole');
