import type { BlockHeaders } from '@sentinel-node/platform';

/** The chain whose blocks hold a real ledger's transactions. */
export interface LedgerChain {
  /** `main` or `test`. */
  readonly network: string;
  readonly headers: BlockHeaders;
}
