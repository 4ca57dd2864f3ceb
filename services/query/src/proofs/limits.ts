import { RECEIPT_SKEW_MS } from '@sentinel-node/contracts';

/** Limits of the work for proofs. The names contain the units. */
export const PROOF_WORK = {
  /** Size of the kept trees: one of 2^20 leaves of as many files, or many small ones. */
  treeCacheBytes: 128 * 1_048_576,
  /** The most requests that wait for a tree. The service builds one tree at a time. */
  waitingRequests: 50,
  /** The most waiting requests of one person, or of one address that visits a shared alert. */
  waitingPerMember: 10,
  /** After this time a waiting request gets a retry answer; the tree is still built and kept. */
  waitMs: 20_000,
  /** `Retry-After` of a refused request. */
  retryAfterSeconds: 5,
  /** `Retry-After` while the evidence of a batch from an earlier version is being published again. */
  preparingRetrySeconds: 60,
  /** Records, or hashes of a tree, that are processed between two turns of the event loop: a few milliseconds. */
  stepsPerTurn: 1_000,
  /** The largest difference between the clocks of two ingestion processes, in ms. */
  receiptSkewMs: RECEIPT_SKEW_MS,
  /** The most links to search for the link of a receipt; the search reads pages of `receiptPage`. */
  receiptLinks: 20_000,
  receiptPage: 500,
  /** The most links to search for another acceptance of the same report, the newest first: one read of the log each. */
  receiptEarlier: 100,
  /** The most bundles made at once, in total and by one person. Each holds at most the bytes of a bundle. */
  bundlesAtOnce: 8,
  bundlesPerMember: 2,
  /** A bundle that takes longer is given up before the next read or batch; the built trees are kept. */
  bundleMs: 30_000,
  /** Two records closer than this many records share one read of the log, which costs no more than two. */
  readAlong: 500,
  /** Number of entries whose first positions are looked up in one call. */
  lookupEntries: 1_000,
} as const;
