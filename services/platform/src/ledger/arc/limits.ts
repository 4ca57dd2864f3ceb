/** Limits and times of calls to an ARC service. Units are in the names. */
export const ARC_LIMITS = {
  /** Limit from the call to the last byte of its answer, in milliseconds. */
  requestMs: 10_000,
  /** Bytes of one answer, decoded; a state with its Merkle path has a few thousand. */
  answerBytes: 262_144,
  /** Pause after a call without an answer. */
  backoff: { firstMs: 1_000, longestMs: 60_000 },
  /** Longest wait that an endpoint can ask for by Retry-After, in milliseconds. */
  retryAfterMs: 600_000,
  /** Highest fee to pay, in satoshis a byte: ten times the networks' usual fee, so that no answer empties the funds. */
  satoshisPerByte: 1,
  /**
   * Confirmations after which a transaction is final: enough for a reorganisation of six blocks, with a margin of six.
   */
  closingDepth: 12,
  /** Characters of an endpoint's text that are passed on. */
  shownCharacters: 200,
} as const;
