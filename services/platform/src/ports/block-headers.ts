/**
 * Headers of the ledger's blocks, checked from a known block on (linkage, work, difficulty): what a path to a block is
 * compared with. The best chain is the one with the most work; a reorganisation replaces its newest headers.
 */
export interface BlockHeaders {
  /** Resolves when the other calls can be made. */
  start(): Promise<void>;
  /** Ends what `start` began; afterwards nothing keeps the process alive. */
  stop(): Promise<void>;
  /** Height of the newest block of the best chain. @throws LedgerUnavailableError when no header is known */
  height(): Promise<number>;
  /** Header at a height of the best chain, 80 bytes in hex; undefined: there is none. @throws LedgerUnavailableError */
  header(height: number): Promise<string | undefined>;
}
