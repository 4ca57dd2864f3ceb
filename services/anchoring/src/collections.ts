import type { AnchorRecord, Cut, OperationRecord } from '@sentinel-node/contracts';
import { collectionOf, OUTBOX_INDEX, type CollectionSpec } from '@sentinel-node/platform';
import type { LogState } from './domain/build-cut.ts';
import type { SignedAnchor } from './transaction/sign-anchor.ts';
import type { SignedSpend } from './transaction/sign-spend.ts';

/**
 * Collections that anchoring and operator commands read. Cuts and signed transactions are decisions: they are backed
 * up, never rebuilt.
 */
export const OWN_COLLECTIONS = {
  /** id: `batchId`. The newest published record of each batch. */
  anchors: { name: collectionOf<AnchorDocument>('anchors'), indexes: [] },
  /** id: `batchId`. Insert-once: of two processes one makes the cut. Each cut has the state of the log after it. */
  cuts: { name: collectionOf<CutDocument>('cuts'), indexes: [] },
  /**
   * id: `cosignatureId`. A witness's cosignature of the log after a batch. `waiting` until it is published with its
   * batch.
   */
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
  /** id: `txid:index`. Imported outputs to the anchoring key, and outputs of consolidations. */
  funds: { name: collectionOf<FundsDocument>('anchor_funds'), indexes: [] },
  /** id: kind. The newest record of each kind; `unpublished`: not on the topic yet. */
  operations: { name: collectionOf<OperationDocument>('anchoring_operations'), indexes: [OUTBOX_INDEX] },
  /** id: what was looked through. Up to which batch a start needs not look again. */
  looks: { name: collectionOf<LookDocument>('anchoring_looks'), indexes: [] },
  /** id: `CHAIN_MARK`. Blocks of the chain that the anchors were last compared with. */
  chainMarks: { name: collectionOf<ChainMarkDocument>('anchoring_chain_marks'), indexes: [] },
  /** id: `batchId`. Batches that contradicted what was anchored; `open` until a later comparison found that they fit. */
  contradictions: {
    name: collectionOf<ContradictionDocument>('anchoring_contradictions'),
    indexes: [{ fields: ['open'], sparse: true }],
  },
} as const satisfies Record<string, CollectionSpec>;

const BATCH_DIGITS = 16;
/** Returns a batch number as an id that sorts like the number. */
export const batchId = (batch: number): string => String(batch).padStart(BATCH_DIGITS, '0');

/** Returns the batch of an id; undefined for an id that no batch has. */
export function batchOfId(id: string): number | undefined {
  const batch = Number(id);
  return Number.isSafeInteger(batch) && batchId(batch) === id ? batch : undefined;
}

/** `rev` is the number plus one. */
interface HeadDocument {
  readonly id: string;
  readonly rev: number;
  /** Number of the subject's last entry in a batch. */
  readonly number: number;
}

export type AnchorDocument = AnchorRecord & { readonly id: string };

export interface CutDocument {
  readonly id: string;
  readonly rev: number;
  /** Present until heads and topic contain the cut's consequences. */
  readonly unpublished?: 1;
  readonly cut: Cut;
  readonly log: LogState;
  /** Next offset of every partition that was ever read; `ranges` has only the partitions of this cut. */
  readonly next: readonly { readonly partition: number; readonly offset: number }[];
}

export interface OperationDocument {
  readonly id: string;
  readonly rev: number;
  readonly at: number;
  readonly unpublished?: 1;
  readonly record: OperationRecord;
}

export interface LookDocument {
  readonly id: string;
  readonly rev: number;
  /** `batchId` of the newest batch below which, with it, all were found in order. */
  readonly last: string;
}

export interface MarkedBlock {
  readonly height: number;
  /** Hex, as explorers show it. */
  readonly hash: string;
}

export interface ChainMarkDocument {
  readonly id: string;
  readonly rev: number;
  /** The newest first: every one of the newest, then ever fewer. Empty when only a comparison was asked for. */
  readonly blocks: readonly MarkedBlock[];
  /** Height above which the blocks of anchors are still to be compared; absent when all were. */
  readonly above?: number;
}

export interface ContradictionDocument {
  readonly id: string;
  /** Counts every time that the batch was found, and every end. */
  readonly rev: number;
  readonly batch: number;
  /** Text for a person. */
  readonly what: string;
  /** When it was found last, or ended. Milliseconds since 1970. */
  readonly at: number;
  readonly open?: 1;
}

export interface CosignatureDocument {
  readonly id: string;
  readonly rev: number;
  readonly batch: number;
  /** Signed log root in hex, because a store that was restored to an earlier state has another log of the same size. */
  readonly root: string;
  /** Time of the newest cosignature, in seconds since 1970. */
  readonly time: number;
  /** Signature line, including its LF. */
  readonly line: string;
  readonly waiting?: 1;
}

/** An output to the anchoring key, imported by a person or made by a consolidation, with the proof of its block. */
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
  /** Present when a consolidation made the output. */
  readonly joined?: 1;
}

/** A transaction that joins small outputs of the anchoring key into one, its only output. */
export type Consolidation = SignedSpend & {
  /** `confirmed`: deep in a block; `refused`: by the ledger, and its inputs are not joined again. */
  readonly state: 'open' | 'confirmed' | 'refused';
  /** As of an anchor. */
  readonly setAside?: number;
};

export interface TransactionDocument {
  readonly id: string;
  readonly rev: number;
  readonly at: number;
  readonly unpublished?: 1;
  /** Present while the ledger is asked about the transaction. */
  readonly open?: 1;
  /**
   * Present when outputs other than the seal are spent, also by a replaced transaction, or a consolidation exists: the document
   * reserves these outputs, or makes them doubtful.
   */
  readonly funded?: 1;
  /** Signed and stored together with the anchor, and sent after it. */
  readonly consolidation?: Consolidation;
  /** Present while the ledger is asked about the consolidation. */
  readonly consolidating?: 1;
  /** Present when a person asked to send the transaction again, or to sign another over the same seal. */
  readonly resume?: 1;
  /** Number of answers that set the transaction aside, since it was last on the network (`countSetAside`). */
  readonly setAside?: number;
  /** Words of the ledger about a refused transaction, `ANCHORING_LIMITS.wordsCharacters` at most. */
  readonly words?: string;
  /** How often a person resumed it. */
  readonly resumes?: number;
  /** Transactions signed earlier for the batch, newest first. */
  readonly replaced?: readonly SignedAnchor[];
  readonly network: string;
  readonly batch: number;
  readonly rawTx: string;
  readonly extendedTx: string;
  readonly inputs: readonly string[];
  readonly funds: number;
  readonly fee: number;
  /** State of the batch as it is, or will be, published. */
  readonly record: AnchorRecord;
}
