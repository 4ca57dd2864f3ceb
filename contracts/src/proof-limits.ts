/** Limits of a proof document and of its parts. `documentBytes` and `nesting` are checked before parsing. */
export const PROOF_LIMITS = {
  documentBytes: 524_288,
  /** Depth of nested objects and lists. */
  nesting: 6,
  transactionBytes: 100_000,
  bumpBytes: 16_384,
  /** Levels of the tree of a block or a batch; a batch counts its leaves in 32 bits. */
  treeDepth: 32,
  /** Levels of the log: it counts its batches below 2^53. */
  logDepth: 53,
} as const;
