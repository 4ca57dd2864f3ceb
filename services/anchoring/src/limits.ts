/** Limits and times of anchoring. Units are in the names. */
export const ANCHORING_LIMITS = {
  /** Leaves of one batch. */
  batchLeaves: 2 ** 20,
  /** Subjects whose last anchored number is kept in memory, besides those that wait for a cut. */
  knownSubjects: 100_000,
  /** Heads in one write. */
  headsPerWrite: 2_000,
  /** Transactions that are not final; beyond it the newer ones wait for their poll. */
  openTransactions: 1_000,
  /** Outputs that one transaction takes in besides the seal. */
  fundingInputs: 10,
  /** Outputs that a person brought, spent ones too. */
  importedOutputs: 1_000,
  /** Outputs that one consolidation joins: with fewer it is not made, since one anchor takes as many in. */
  consolidationLeast: 10,
  consolidationMost: 100,
  /** Outputs that are looked at: those that a person brought, and one of each consolidation of at least ten of them. */
  keptOutputs: 1_200,
  /** Transactions that reserve outputs, looked at to see which; each reserves at least one of those that are kept. */
  fundedTransactions: 1_201,
  /** Reads of tiles that run or wait. */
  tileReads: 512,
  /** Between two looks at the chain topic, and between two looks at cuts and transactions, in milliseconds. */
  tickMs: 1_000,
  /** Between two cuts, in milliseconds, unless the batch is full. */
  cutSpacingMs: 1_000,
  /** Between two polls of a transaction. */
  pollBackoff: { firstMs: 1_000, longestMs: 15_000 },
  /** After the ledger did not answer. */
  retryBackoff: { firstMs: 1_000, longestMs: 60_000 },
  /** Batches of an earlier version that one tick publishes again, with their evidence, and how many it looks at. */
  evidenceBatches: 5,
  evidenceLooks: 200,
  /** Body of a report by the ledger's service; a path of 32 levels has some 3,000. */
  callbackBytes: 65_536,
  /** Anchors whose pace is taken for the rate at which funds are spent. */
  rateAnchors: 100,
  /** An operator hears of funds that last for fewer days. */
  lowFundsDays: 14,
  /** Of a witness: the longest wait for an answer, and the longest answer. */
  witnessAnswerMs: 10_000,
  witnessAnswerBytes: 65_536,
  /** After a witness did not cosign. */
  witnessBackoff: { firstMs: 1_000, longestMs: 300_000 },
  /** A witness that is at most so many batches behind is offered each checkpoint; one further behind the newest only. */
  witnessCatchUpBatches: 100,
  /** Offers to one witness in one turn. */
  witnessOffers: 20,
  /** Answers 409 of one turn that are followed by another offer. */
  witnessConflicts: 2,
  /** From a cosignature of the newest checkpoint to the next of the same, so that its time tells that nothing is newer. */
  witnessRenewMs: 3_600_000,
  /** How far a witness's clock may be ahead. */
  witnessClockMs: 300_000,
  /** The newest checkpoint is held back so long for its quorum, and so many batches are looked at for one that has it. */
  quorumWaitMs: 10_000,
  quorumLooks: 16,
  /** Batches whose cosignatures one turn publishes. */
  cosignedBatches: 100,
  /** Below so many fees of one anchor, further funds are taken in. */
  lowFundsFees: 100,
} as const;
