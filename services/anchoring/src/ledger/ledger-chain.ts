import type { BlockHeaders } from '@sentinel-node/platform';

/** Whose blocks a real ledger's transactions are in. */
export interface LedgerChain {
  /** `main` or `test`. */
  readonly network: string;
  readonly headers: BlockHeaders;
}
