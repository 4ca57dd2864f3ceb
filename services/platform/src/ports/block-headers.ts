/**
 * Headers of the ledger's blocks, checked from a known block on (linkage, work, difficulty); paths to blocks are
 * compared with them. The best chain is the one with the most work; a reorganisation replaces its newest headers.
 */
export interface BlockHeaders {
  /** Resolves when the other calls can be made. */
  start(): Promise<void>;
  /** Stops the work of `start`; afterwards nothing keeps the process alive. */
  stop(): Promise<void>;
  /** Height of the known block; there is no header below it, whatever the ledger has. */
  readonly firstHeight: number;
  /**
   * Returns the height of the newest block of the best chain. @throws LedgerUnavailableError when no header is known
   */
  height(): Promise<number>;
  /**
   * Returns the header at a height of the best chain, 80 bytes in hex; undefined when there is none.
   * @throws LedgerUnavailableError
   */
  header(height: number): Promise<string | undefined>;
}
