import { collectionOf, type CollectionSpec } from '../ports/document-store.ts';

/** State of the development ledger. Transactions and spent outputs are never removed, as in any ledger. */
export const DEV_LEDGER_COLLECTIONS = {
  transactions: {
    name: collectionOf<TransactionDocument>('dev_ledger_transactions'),
    indexes: [
      { fields: ['waiting', 'order'], sparse: true },
      { fields: ['payee'], sparse: true },
    ],
  },
  /** id: outpoint. Insert-once, so that only one of several racing transactions spends an output. */
  spends: { name: collectionOf<SpendDocument>('dev_ledger_spends'), indexes: [] },
  blocks: { name: collectionOf<BlockDocument>('dev_ledger_blocks'), indexes: [] },
} as const satisfies Record<string, CollectionSpec>;

interface SpendDocument {
  /** Outpoint. */
  readonly id: string;
  /** Transaction id. */
  readonly spender: string;
}

export interface TransactionDocument {
  /** Transaction id. */
  readonly id: string;
  readonly rev: number;
  readonly rawTx: string;
  /** Order of arrival: a parent comes before its child. */
  readonly order: number;
  /** Present until the transaction is in a block. */
  readonly waiting?: 1;
  readonly blockHeight?: number;
  /** Public key hash (hex) that output 0 of a coinbase pays. */
  readonly payee?: string;
}

export interface BlockDocument {
  /** Height with leading zeros. */
  readonly id: string;
  readonly height: number;
  readonly hash: string;
  /** 80 bytes, hex. */
  readonly header: string;
  /** Seconds since 1970. */
  readonly time: number;
  /** The coinbase, raw; its id is the first of `txids`. */
  readonly coinbase: string;
  readonly payee: string | null;
  readonly txids: readonly string[];
  /** Height of the newest block with more than a coinbase; −1 when there is none. */
  readonly lastFilled: number;
}

export const blockId = (height: number): string => String(height).padStart(10, '0');
