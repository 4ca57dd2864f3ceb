/** Limits of kept and requested headers, each with its unit. */
export const HEADER_LIMITS = {
  /** Headers from the checkpoint on, 80 bytes of memory each: about 19 years of blocks. */
  headers: 1_000_000,
  /** Headers in one answer of a service. */
  pageHeaders: 2_000,
  /** Bytes of one answer of a service: a header is about 400 bytes of JSON. */
  answerBytes: 4 * 1_048_576,
  /** Bytes of a file of headers, also when a URL serves the file. */
  fileBytes: 1_000_000 * 80,
  /** Milliseconds until an answer is complete; the second limit is for a file. */
  answerMs: 30_000,
  fileMs: 600_000,
  /** Milliseconds between two requests to the source; the second value limits the wait after failures. */
  intervalMs: 60_000,
  longestWaitMs: 900_000,
} as const;
