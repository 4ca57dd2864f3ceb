/** Proof document: everything needed to check one entry offline (docs/formats.md, "Proof document"). */
import { PROOF_LIMITS } from '../proof-limits.ts';
import { Type, type Static } from 'typebox';
import { oneOf } from '../enums.ts';
import { bodyFields } from '../records/chain.ts';
import { closed, CountSchema, HashSchema, nullable, UuidSchema } from '../schemas/common.ts';

export const PROOF_FORMAT = 'sentinel/proof/v1';

/** Progress of an entry: no batch yet, a batch, a sent transaction, a transaction in a block. */
export const PROOF_STATES = ['PENDING', 'CUT', 'SENT', 'MINED'] as const;
export type ProofState = (typeof PROOF_STATES)[number];

const hexOfAtMost = (bytes: number, description: string) =>
  Type.String({ pattern: '^([0-9a-f]{2})+$', maxLength: 2 * bytes, description });

export const ProofLogSchema = closed({
  logId: HashSchema,
  origin: Type.String({ minLength: 1, maxLength: 256 }),
  keyFingerprint: Type.String({
    pattern: '^[0-9a-f]{64}$',
    description: 'SHA-256 of the 32 bytes of the Ed25519 public key, lower-case hex',
  }),
});

export const ProofSubjectSchema = closed({
  type: oneOf(['ORG', 'DEVICE', 'FILE']),
  id: UuidSchema,
  /** Only claimed, except in a GENESIS. Absent in the proof of a shared alert. */
  deviceId: Type.Optional(UuidSchema),
  /** Claimed. Absent in the proof of a shared alert. */
  orgId: Type.Optional(UuidSchema),
});

/** All fields that the body hash covers, and the place in the chain. */
export const ProofEntrySchema = closed({
  number: CountSchema,
  ...bodyFields,
  nonce: Type.String({ pattern: '^[0-9a-f]{32}$', description: 'of exactly this entry' }),
  versionIndex: Type.Integer({ minimum: 0, maximum: 0xffff_ffff }),
  previous: Type.String({
    pattern: '^[0-9a-f]{64}$',
    description: 'link hash of the entry before; zeros at number 0',
  }),
  linkHash: HashSchema,
});
export type ProofEntry = Static<typeof ProofEntrySchema>;

export const ProofBatchSchema = closed({
  leafHash: HashSchema,
  /** Position among the leaves of the batch, from 0. */
  leafIndex: CountSchema,
  leafPath: Type.Array(HashSchema, { maxItems: PROOF_LIMITS.treeDepth }),
  header: Type.String({ pattern: '^[0-9a-f]{364}$', description: 'the 182 bytes of the batch header' }),
  /** Inclusion path of the header, which is the last leaf of the log that ends with this batch. */
  logPath: Type.Array(HashSchema, { maxItems: PROOF_LIMITS.logDepth }),
  checkpoint: Type.String({
    maxLength: 16_384,
    description: 'signed note (C2SP) of the log that ends with this batch',
  }),
});
export type ProofBatch = Static<typeof ProofBatchSchema>;

export const ProofTransactionSchema = closed({
  network: Type.String({ pattern: '^[a-z0-9-]{1,32}$', description: '`dev` and `regtest`: NOT PUBLIC' }),
  /** In the byte order of explorers (reversed). */
  txid: HashSchema,
  raw: hexOfAtMost(PROOF_LIMITS.transactionBytes, 'the whole transaction'),
});
export type ProofTransaction = Static<typeof ProofTransactionSchema>;

export const ProofBlockSchema = closed({
  height: CountSchema,
  /** In the byte order of explorers (reversed). */
  hash: HashSchema,
  bump: hexOfAtMost(PROOF_LIMITS.bumpBytes, 'Merkle path (BRC-74)'),
  /** Self-supplied, so it proves nothing. null when the server has none. */
  header: nullable(
    Type.String({ pattern: '^[0-9a-f]{160}$', description: 'the 80 bytes of the block header' }),
  ),
  /** First transaction of the block, at the same depth (CVE-2017-12842). null: absent. */
  coinbase: nullable(hexOfAtMost(PROOF_LIMITS.transactionBytes, 'the whole coinbase transaction')),
  /** Only claimed: the last number that the server saw. */
  confirmations: CountSchema,
});
export type ProofBlock = Static<typeof ProofBlockSchema>;

export const ProofSchema = closed({
  format: Type.Literal(PROOF_FORMAT),
  state: oneOf(PROOF_STATES),
  /** A proof of one entry does not show that nothing was left out. */
  completeness: Type.Literal('NOT_SHOWN'),
  log: ProofLogSchema,
  subject: ProofSubjectSchema,
  entry: ProofEntrySchema,
  /** null while the entry waits for a cut. */
  batch: nullable(ProofBatchSchema),
  /** null until the transaction is on the network. */
  transaction: nullable(ProofTransactionSchema),
  /** null until the transaction is in a block. */
  block: nullable(ProofBlockSchema),
});
export type Proof = Static<typeof ProofSchema>;

/** Longest policy of a trust file, written as `formatPolicy` does. A file of a policy may be longer: comments do not count. */
export const TRUST_POLICY_CHARACTERS = 32_768;

/** Data that a verifier must have beforehand, from a source other than the proof. */
export const ProofTrustSchema = closed({
  origin: Type.String({ minLength: 1, maxLength: 256 }),
  publicKey: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Ed25519, 32 bytes' }),
  /** Origin and public key as a C2SP verifier key: `noteVerifierKey`. */
  vkey: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
  network: Type.String({ pattern: '^[a-z0-9-]{1,32}$' }),
  /** The transaction of batch 0. */
  genesisTxid: HashSchema,
  /** Witnesses and their quorum (C2SP tlog-policy): `parsePolicy`. */
  policy: Type.Optional(Type.String({ minLength: 1, maxLength: TRUST_POLICY_CHARACTERS })),
});
export type ProofTrust = Static<typeof ProofTrustSchema>;

/** Returns the state that the parts of a proof make; undefined for a combination that no state has. */
export function stateOfParts(proof: Pick<Proof, 'batch' | 'transaction' | 'block'>): ProofState | undefined {
  const parts = [proof.batch, proof.transaction, proof.block].map((part) => part !== null);
  const count = parts.lastIndexOf(true) + 1;
  return parts.slice(0, count).every((isThere) => isThere) ? PROOF_STATES[count] : undefined;
}
