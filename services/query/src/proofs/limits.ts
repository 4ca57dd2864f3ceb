/** What proofs may cost. Units are in the names. */
export const PROOF_WORK = {
  /** Trees of batches that are kept: one of 2^20 leaves of as many files, or many small ones. */
  treeCacheBytes: 128 * 1_048_576,
  /** Requests that wait for a tree. One tree is made at a time. */
  waitingRequests: 50,
  /** Of them of one person, or of one address that visits a shared alert. */
  waitingPerMember: 10,
  /** A request waits so long, then it is told to come again; the tree is made all the same, and kept. */
  waitMs: 20_000,
  /** What whoever is turned away is told to wait. */
  retryAfterSeconds: 5,
  /** What a caller is told to wait while the evidence of a batch of an earlier version is not published again. */
  preparingRetrySeconds: 60,
  /** Records, or hashes of a tree, between two turns of the event loop: a few milliseconds. */
  stepsPerTurn: 1_000,
  /** The clocks of two ingestion processes are this close, in ms. */
  receiptSkewMs: 60_000,
  /** Links that are looked through for the one that a receipt promised; read in pages of `receiptPage`. */
  receiptLinks: 20_000,
  receiptPage: 500,
  /** Bundles that are made at a time, and of them of one person. Each holds at most the bytes of a bundle. */
  bundlesAtOnce: 8,
  bundlesPerMember: 2,
  /** A bundle that is not made after so long is given up between two reads or batches; the trees of batches are kept. */
  bundleMs: 30_000,
  /** Records that are read along when the records of two entries stand so close, in records: one read costs as much. */
  readAlong: 500,
  /** Entries whose first position is looked up at once. */
  lookupEntries: 1_000,
} as const;
