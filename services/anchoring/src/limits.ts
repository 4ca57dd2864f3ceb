/** Limits and times of anchoring. Units are in the names. */
export const ANCHORING_LIMITS = {
  /** Leaves of one batch. */
  batchLeaves: 2 ** 20,
  /** Subjects whose last anchored number is kept in memory, besides those with entries that wait for a cut. */
  knownSubjects: 100_000,
  /** Heads in one write. */
  headsPerWrite: 2_000,
  /** Transactions that are not final; with more of them, the newer ones wait for their poll. */
  openTransactions: 1_000,
  /** Outputs that one transaction spends besides the seal. */
  fundingInputs: 10,
  /** Outputs that a person imported, including spent ones. */
  importedOutputs: 1_000,
  /** Fewest outputs of a consolidation: an anchor spends as many without one. The second limit is the most. */
  consolidationLeast: 10,
  consolidationMost: 100,
  /** Outputs that are read: those that a person imported, and one of each consolidation of at least ten of them. */
  keptOutputs: 1_200,
  /** Transactions that are read to find reserved outputs; each reserves at least one of the kept outputs. */
  fundedTransactions: 1_201,
  /** Reads of tiles that run or wait. */
  tileReads: 512,
  /** Between two reads of the chain topic, and between two checks of cuts and transactions, in milliseconds. */
  tickMs: 1_000,
  /** Between two cuts, in milliseconds, unless the batch is full. */
  cutSpacingMs: 1_000,
  /** Between two polls of a transaction. */
  pollBackoff: { firstMs: 1_000, longestMs: 15_000 },
  /** Wait after the ledger did not answer. */
  retryBackoff: { firstMs: 1_000, longestMs: 60_000 },
  /**
   * Batches of an earlier version that one tick publishes again with evidence; the second limit is the batches it
   * reads.
   */
  evidenceBatches: 5,
  evidenceLooks: 200,
  /** Bytes of a report by the ledger's service; a path of 32 levels has some 3,000. */
  callbackBytes: 65_536,
  /** Anchors from which the spending rate is computed. */
  rateAnchors: 100,
  /** Operators are told of funds that last for fewer days. */
  lowFundsDays: 14,
  /** Low funds are over when they last for so many days. */
  enoughFundsDays: 21,
  /** A batch that is not on the network for longer, in milliseconds: anchoring has stopped. */
  stoppedMs: 3_600_000,
  /** Between two looks for what organisations are told, in milliseconds. */
  standingMs: 10_000,
  /** Longest wait for a witness's answer; the second limit is its bytes. */
  witnessAnswerMs: 10_000,
  witnessAnswerBytes: 65_536,
  /** Wait after a witness did not cosign. */
  witnessBackoff: { firstMs: 1_000, longestMs: 300_000 },
  /**
   * A witness that is at most this many batches behind is offered each checkpoint; others are offered the newest
   * only.
   */
  witnessCatchUpBatches: 100,
  /** Offers to one witness in one turn. */
  witnessOffers: 20,
  /** Answers 409 in one turn after which another offer is made. */
  witnessConflicts: 2,
  /**
   * Age at which a cosignature of the newest checkpoint is renewed, so that its time shows that no checkpoint is
   * newer.
   */
  witnessRenewMs: 3_600_000,
  /** How far a witness's clock may be ahead. */
  witnessClockMs: 300_000,
  /**
   * Longest time that the newest checkpoint waits for its quorum; the second limit is the batches that are searched
   * for one with a quorum.
   */
  quorumWaitMs: 10_000,
  quorumLooks: 16,
  /** Batches whose cosignatures one turn publishes. */
  cosignedBatches: 100,
  /** An anchor spends further funds when its funds are below this many fees. */
  lowFundsFees: 100,
} as const;
