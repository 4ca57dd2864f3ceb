/** The public ledger as anchoring needs it. Adapters: development ledger, ARC. Statuses are ARC's (bitcoin-sv/arc). */
export type LedgerStatus =
  | 'QUEUED'
  | 'RECEIVED'
  | 'STORED'
  | 'ANNOUNCED_TO_NETWORK'
  | 'REQUESTED_BY_NETWORK'
  | 'SENT_TO_NETWORK'
  | 'ACCEPTED_BY_NETWORK'
  | 'SEEN_IN_ORPHAN_MEMPOOL'
  | 'SEEN_ON_NETWORK'
  | 'DOUBLE_SPEND_ATTEMPTED'
  | 'REJECTED'
  | 'MINED_IN_STALE_BLOCK'
  | 'MINED';

export interface LedgerAnswer {
  readonly txid: string;
  readonly status: LedgerStatus;
  readonly blockHash?: string;
  readonly blockHeight?: number;
  /** BRC-74 BUMP, hex. */
  readonly merklePath?: string;
  readonly detail?: string;
}

/** An unspent output that pays to the anchoring key. */
export interface Funding {
  /** Hex of the transaction that holds the output. */
  readonly rawTx: string;
  readonly outputIndex: number;
  readonly satoshis: number;
}

export interface Ledger {
  /** `dev`, `main`, `test`. Words of proofs and the explorer's address depend on it. */
  readonly network: string;
  /** Sends a transaction in Extended Format (hex). Sending again answers the present status. @throws LedgerUnavailableError */
  submit(extendedTx: string): Promise<LedgerAnswer>;
  /** undefined: the ledger does not know it. @throws LedgerUnavailableError */
  status(txid: string): Promise<LedgerAnswer | undefined>;
  /** @throws LedgerUnavailableError */
  policy(): Promise<{ readonly satoshis: number; readonly bytes: number }>;
  /** Confirmed outputs to the public key hash (hex, 20 bytes). @throws LedgerUnavailableError */
  funding(publicKeyHash: string): Promise<readonly Funding[]>;
  /** Height of the newest block; for confirmations. @throws LedgerUnavailableError */
  height(): Promise<number>;
}
