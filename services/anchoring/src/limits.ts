/** Limits and times of anchoring. Units are in the names. */
export const ANCHORING_LIMITS = {
  /** Leaves of one batch. */
  batchLeaves: 2 ** 20,
  /** The most subjects whose last anchored number is kept in memory, besides those with entries without a cut. */
  knownSubjects: 100_000,
  /** Heads in one write. */
  headsPerWrite: 2_000,
  /** The most transactions that are not final; above that, the newer ones wait for their poll, except the newest one. */
  openTransactions: 1_000,
  /**
   * Answers that a transaction is set aside after which it counts as refused: about half an hour of polls, each of which
   * sends it again. A block that was replaced is followed by another one sooner, as a rule.
   */
  setAsideAnswers: 120,
  /** Characters of the ledger's words about a refused transaction that are kept. */
  wordsCharacters: 1_000,
  /** The most anchors in no block that are sent again before one that spends their outputs. */
  parentsSent: 10,
  /** The most outputs that one transaction spends besides the seal. */
  fundingInputs: 10,
  /** Outputs that a person imported, including spent ones. */
  importedOutputs: 1_000,
  /**
   * The fewest outputs of a consolidation, because an anchor spends as many without one; the second limit is the most.
   */
  consolidationLeast: 10,
  consolidationMost: 100,
  /**
   * The most outputs that are read: those that a person imported, and one of each consolidation of at least ten of
   * them.
   */
  keptOutputs: 1_200,
  /**
   * The most transactions that are read to find reserved outputs; each reserves at least one of the kept outputs, except a
   * hundred that a person resumed.
   */
  fundedTransactions: 1_301,
  /** The most running and waiting reads of tiles. */
  tileReads: 512,
  /** Time between two reads of the chain topic, and between two checks of cuts and transactions, in milliseconds. */
  tickMs: 1_000,
  /** Time between two cuts, in milliseconds, unless the batch is full. */
  cutSpacingMs: 1_000,
  /** Time between two polls of a transaction. */
  pollBackoff: { firstMs: 1_000, longestMs: 15_000 },
  /** Wait after a call that the ledger did not answer. */
  retryBackoff: { firstMs: 1_000, longestMs: 60_000 },
  /**
   * Batches of an earlier version that one tick publishes again with evidence; the second limit is for the batches that
   * it reads.
   */
  evidenceBatches: 5,
  evidenceLooks: 200,
  /** Newest blocks that are remembered one by one, to tell how deep a reorganisation is. */
  markedBlocks: 100,
  /** Between two looks whether the chain of blocks moved, in milliseconds; the second limit is for the anchors of one look. */
  chainLookMs: 5_000,
  chainLookBatches: 200,
  /** Bytes of a report by the ledger's service; a path of 32 levels has about 3,000. */
  callbackBytes: 65_536,
  /** Anchors from which the spending rate is computed. */
  rateAnchors: 100,
  /** Operators get an alarm when the funds last for fewer days. */
  lowFundsDays: 14,
  /** Low funds are over when they last for so many days. */
  enoughFundsDays: 21,
  /** Between two looks for contradictions that other processes found, in milliseconds. */
  contradictionLookMs: 10_000,
  /** Recorded contradictions that one start compares again; while there are more, the next starts compare them. */
  openContradictions: 100,
  /** A batch that is not on the network for longer, in milliseconds: anchoring has stopped. */
  stoppedMs: 3_600_000,
  /** Between two looks for what organisations are told, in milliseconds. */
  standingMs: 10_000,
  /** Longest wait for a witness's answer; the second limit is its bytes. */
  witnessAnswerMs: 10_000,
  witnessAnswerBytes: 65_536,
  /** Wait after a witness did not cosign. */
  witnessBackoff: { firstMs: 1_000, longestMs: 300_000 },
  /** A witness that is at most this many batches behind gets each checkpoint; others get only the newest. */
  witnessCatchUpBatches: 100,
  /** Offers to one witness in one turn. */
  witnessOffers: 20,
  /** Answers 409 in one turn after which another offer is made. */
  witnessConflicts: 2,
  /**
   * Age at which a cosignature of the newest checkpoint is renewed, because its time shows that no checkpoint is newer.
   */
  witnessRenewMs: 3_600_000,
  /** How far a witness's clock may be ahead or behind: less than checkers allow. */
  witnessClockMs: 300_000,
  /**
   * Longest time that the newest checkpoint waits for its quorum; the second limit is for the batches that are searched
   * for one with a quorum.
   */
  quorumWaitMs: 10_000,
  quorumLooks: 16,
  /** Batches whose cosignatures one turn publishes. */
  cosignedBatches: 100,
  /** An anchor spends further funds when its funds are below this many fees. */
  lowFundsFees: 100,
} as const;
