import type { AnchorRecord, Cut } from '@sentinel-node/contracts';
import { collectionOf, OUTBOX_INDEX, type CollectionSpec } from '@sentinel-node/platform';
import type { LogState } from './domain/build-cut.ts';
import type { SignedAnchor } from './transaction/sign-anchor.ts';
import type { SignedSpend } from './transaction/sign-spend.ts';

/** Read by anchoring and by operator commands. Cuts and signed transactions are decisions: they are backed up, never rebuilt. */
export const OWN_COLLECTIONS = {
  /** id: `batchId`. The newest record of each batch, as it was published. */
  anchors: { name: collectionOf<AnchorDocument>('anchors'), indexes: [] },
  /** id: `batchId`. Insert-once: of two processes one makes the cut. With the state of the log after each. */
  cuts: { name: collectionOf<CutDocument>('cuts'), indexes: [] },
  /** id: `cosignatureId`. What a witness signed of the log after a batch. `waiting`: the batch is not published with it. */
  cosignatures: {
    name: collectionOf<CosignatureDocument>('cosignatures'),
    indexes: [{ fields: ['waiting'], sparse: true }],
  },
  /** id: subject. A view of the cuts. */
  heads: { name: collectionOf<HeadDocument>('anchored_heads'), indexes: [] },
  /** id: `batchId`. Insert-once: a batch has one signed transaction. */
  transactions: {
    name: collectionOf<TransactionDocument>('anchor_transactions'),
    indexes: [
      OUTBOX_INDEX,
      { fields: ['open'], sparse: true },
      { fields: ['funded'], sparse: true },
      { fields: ['consolidating'], sparse: true },
    ],
  },
  /** id: `txid:index`. Outputs to the anchoring key that a person brought. */
  funds: { name: collectionOf<FundsDocument>('anchor_funds'), indexes: [] },
} as const satisfies Record<string, CollectionSpec>;

const BATCH_DIGITS = 16;
/** A batch number as an id that sorts like the number. */
export const batchId = (batch: number): string => String(batch).padStart(BATCH_DIGITS, '0');

/** `rev` is the number and one more. */
interface HeadDocument {
  readonly id: string;
  readonly rev: number;
  /** The last number of the subject that is in a batch. */
  readonly number: number;
}

export type AnchorDocument = AnchorRecord & { readonly id: string };

export interface CutDocument {
  readonly id: string;
  readonly rev: number;
  /** Until heads and topic say what follows from it. */
  readonly unpublished?: 1;
  readonly cut: Cut;
  readonly log: LogState;
  /** Next offset per partition: all that were ever read, unlike the ranges. */
  readonly next: readonly { readonly partition: number; readonly offset: number }[];
}

export interface CosignatureDocument {
  readonly id: string;
  readonly rev: number;
  readonly batch: number;
  /** Hex of the log root that was signed: a store that went back has another log at the same size. */
  readonly root: string;
  /** Seconds since 1970, of the newest cosignature. */
  readonly time: number;
  /** Signature line with its LF. */
  readonly line: string;
  readonly waiting?: 1;
}

/** An output to the anchoring key that a person brought, or that a consolidation made, with the proof of its block. */
export interface FundsDocument {
  /** `txid:index`. */
  readonly id: string;
  readonly network: string;
  readonly publicKeyHash: string;
  readonly txid: string;
  readonly rawTx: string;
  readonly outputIndex: number;
  readonly satoshis: number;
  /** BRC-74, hex. */
  readonly merklePath: string;
  /** Milliseconds since 1970. */
  readonly importedAt: number;
  /** A consolidation made it. */
  readonly joined?: 1;
}

/** A transaction that joins small outputs of the anchoring key; its only output is its funds. */
export type Consolidation = SignedSpend & {
  /** `confirmed`: deep in a block; `refused`: the ledger will not have it, and its inputs are joined no more. */
  readonly state: 'open' | 'confirmed' | 'refused';
};

export interface TransactionDocument {
  readonly id: string;
  readonly rev: number;
  readonly at: number;
  readonly unpublished?: 1;
  /** While the ledger is asked about it. */
  readonly open?: 1;
  /** It spends more than the seal, or has a consolidation: what is spent besides is reserved. */
  readonly funded?: 1;
  /** Signed and stored with the anchor, and sent after it. */
  readonly consolidation?: Consolidation;
  /** While the ledger is asked about the consolidation. */
  readonly consolidating?: 1;
  /** A person wants it sent again, or signed anew over the same seal. */
  readonly resume?: 1;
  /** What was signed for the batch before, the newest first. */
  readonly replaced?: readonly SignedAnchor[];
  readonly network: string;
  readonly batch: number;
  readonly rawTx: string;
  readonly extendedTx: string;
  readonly inputs: readonly string[];
  readonly funds: number;
  readonly fee: number;
  /** The state of the batch as it was, or will be, published. */
  readonly record: AnchorRecord;
}
