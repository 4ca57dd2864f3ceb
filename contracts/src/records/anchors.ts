/** Records of `sentinel.anchors.v1` (key: batch number as decimal text, so that one batch stays in order). */
import { Type, type Static } from 'typebox';
import { ProofBatchSchema, ProofBlockSchema, ProofTransactionSchema } from '../proof/proof.ts';
import { POLICY_LIMITS } from '../log/witness-policy.ts';
import { closed, CountSchema, HashSchema, MillisecondsSchema, nullable } from '../schemas/common.ts';

/** A recorded decision: which records of the chain topic a batch covers. Replay and audit read cuts, never make them. */
export const CutSchema = closed({
  batch: CountSchema,
  closedAt: MillisecondsSchema,
  /** Per partition of the chain topic, [from, to). Partitions without records are left out. */
  ranges: Type.Array(closed({ partition: CountSchema, from: CountSchema, to: CountSchema })),
  leafCount: CountSchema,
  leafRoot: HashSchema,
  totalLeaves: CountSchema,
  /** 182 bytes, hex. */
  header: Type.String({ pattern: '^[0-9a-f]{364}$' }),
  headerHash: HashSchema,
  logRoot: HashSchema,
});
export type Cut = Static<typeof CutSchema>;

export const AnchorTransactionSchema = closed({
  txid: HashSchema,
  /** Status that ARC reported; `SIGNED` before the transaction was sent. */
  status: Type.String(),
  blockHash: nullable(HashSchema),
  blockHeight: nullable(CountSchema),
  /** BRC-74, hex. */
  merklePath: nullable(Type.String()),
  confirmations: CountSchema,
});
export type AnchorTransaction = Static<typeof AnchorTransactionSchema>;

const { network, raw } = ProofTransactionSchema.properties;
const { header, coinbase } = ProofBlockSchema.properties;

/**
 * Parts of a proof that are neither in the cut nor in the transaction's state. The limits of proofs bound their size: at
 * most 0.5 MiB, an eighth of a record of the log (`LIMITS.logRecordBytes`).
 */
export const AnchorEvidenceSchema = closed({
  logPath: ProofBatchSchema.properties.logPath,
  /** null before a transaction was signed. */
  transaction: nullable(closed({ network, raw })),
  /** null before the transaction is in a block, and on a ledger whose headers checkers get elsewhere. */
  block: nullable(closed({ header, coinbase })),
  /** Signature lines of witnesses for the checkpoint of the log that ends with the batch. Absent without any. */
  cosignatures: Type.Optional(
    Type.Array(Type.String({ maxLength: 512 }), { maxItems: POLICY_LIMITS.witnesses }),
  ),
});
export type AnchorEvidence = Static<typeof AnchorEvidenceSchema>;

/** The whole state of one batch after a change; `rev` rises. */
export const AnchorRecordSchema = closed({
  v: Type.Literal(1),
  batch: CountSchema,
  rev: CountSchema,
  at: MillisecondsSchema,
  cut: CutSchema,
  transaction: nullable(AnchorTransactionSchema),
  /** Absent in records of earlier versions; anchoring publishes those batches again. */
  evidence: Type.Optional(AnchorEvidenceSchema),
});
export type AnchorRecord = Static<typeof AnchorRecordSchema>;
