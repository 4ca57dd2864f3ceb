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
  /** Of the block `blockHash`, in hex: given by a ledger whose blocks a checker can have from nobody else. */
  readonly block?: { readonly header: string; readonly coinbase: string };
  readonly detail?: string;
}

/** An unspent output that pays to the anchoring key. */
export interface Funding {
  /** Hex of the transaction that holds the output. */
  readonly rawTx: string;
  readonly outputIndex: number;
  readonly satoshis: number;
}

/** Least fee: `satoshis` for `bytes` of a transaction. */
export interface FeePolicy {
  readonly satoshis: number;
  readonly bytes: number;
}

export interface Ledger {
  /** `dev`, `main`, `test`. Words of proofs and the explorer's address depend on it. */
  readonly network: string;
  /** Confirmations from which a transaction is not asked about any more. */
  readonly closingDepth: number;
  /** A transaction that is deep may become unknown, or its path be told in other words: only headers stay. */
  readonly forgets: boolean;
  /** Resolves when the other calls can be made. */
  start(): Promise<void>;
  /** Ends what `start` began; afterwards nothing keeps the process alive. */
  stop(): Promise<void>;
  /**
   * Sends a transaction in Extended Format (hex). Sending again answers the present status. A refusal that another try
   * does not change is REJECTED with `detail`. @throws LedgerUnavailableError
   */
  submit(extendedTx: string): Promise<LedgerAnswer>;
  /** undefined: the ledger does not know it. @throws LedgerUnavailableError */
  status(txid: string): Promise<LedgerAnswer | undefined>;
  /** @throws LedgerUnavailableError */
  policy(): Promise<FeePolicy>;
  /** Confirmed unspent outputs to the public key hash (hex, 20 bytes). @throws LedgerUnavailableError */
  funding(publicKeyHash: string): Promise<readonly Funding[]>;
  /** Header of the block at a height, 80 bytes in hex; undefined: there is none. @throws LedgerUnavailableError */
  header(height: number): Promise<string | undefined>;
  /** Height of the newest block; for confirmations. @throws LedgerUnavailableError */
  height(): Promise<number>;
}
