/** Limits and times of calls to an ARC service. Units are in the names. */
export const ARC_LIMITS = {
  /** From the call to the last byte of its answer, in milliseconds. */
  requestMs: 10_000,
  /** Of one answer, decoded; a state with its Merkle path has a few thousand. */
  answerBytes: 262_144,
  /** Without being asked, after a call that gave no answer. */
  backoff: { firstMs: 1_000, longestMs: 60_000 },
  /** Longest wait that an endpoint can ask for by Retry-After, in milliseconds. */
  retryAfterMs: 600_000,
  /** Dearest fee that is paid, in satoshis a byte: ten times what networks ask for, so that no answer empties the funds. */
  satoshisPerByte: 1,
  /** Confirmations: a reorganisation of six blocks is followed, with as many to spare. */
  closingDepth: 12,
  /** Of words of an endpoint that are passed on. */
  shownCharacters: 200,
} as const;
