/** The public ledger for anchoring. Adapters: development ledger, ARC. Statuses are ARC's (bitcoin-sv/arc). */
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
  /** Header and coinbase of the block `blockHash`, in hex; only from a ledger whose blocks have no other source. */
  readonly block?: { readonly header: string; readonly coinbase: string };
  readonly detail?: string;
}

/** An unspent output that pays the anchoring key. */
export interface Funding {
  /** Hex of the transaction that holds the output. */
  readonly rawTx: string;
  readonly outputIndex: number;
  readonly satoshis: number;
}

/** Minimum fee: `satoshis` for `bytes` of a transaction. */
export interface FeePolicy {
  readonly satoshis: number;
  readonly bytes: number;
}

export interface Ledger {
  /** `dev`, `main`, `test`. The text of proofs and the explorer's address depend on it. */
  readonly network: string;
  /** Confirmations after which a transaction is no longer checked. */
  readonly closingDepth: number;
  /**
   * True when the ledger may forget a deep transaction, or return its path in another form; only headers are permanent.
   */
  readonly forgets: boolean;
  /** Height of the first block whose header `header` can return; nothing is known of earlier blocks. */
  readonly firstHeight: number;
  /** Resolves when the other calls can be made. */
  start(): Promise<void>;
  /** Stops the work of `start`; afterwards nothing keeps the process alive. */
  stop(): Promise<void>;
  /**
   * Sends a transaction in Extended Format (hex). Sending again returns the current status. A permanent refusal is
   * REJECTED with `detail`. @throws LedgerUnavailableError
   */
  submit(extendedTx: string): Promise<LedgerAnswer>;
  /** Returns undefined for an unknown transaction. @throws LedgerUnavailableError */
  status(txid: string): Promise<LedgerAnswer | undefined>;
  /** @throws LedgerUnavailableError */
  policy(): Promise<FeePolicy>;
  /** Returns confirmed unspent outputs to the public key hash (hex, 20 bytes). @throws LedgerUnavailableError */
  funding(publicKeyHash: string): Promise<readonly Funding[]>;
  /**
   * Returns the header of the block at a height, 80 bytes in hex; undefined when there is none. @throws
   * LedgerUnavailableError
   */
  header(height: number): Promise<string | undefined>;
  /** Returns the height of the newest block; for confirmations. @throws LedgerUnavailableError */
  height(): Promise<number>;
}
