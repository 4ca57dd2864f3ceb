/** Times of the HTTP server, in milliseconds. */
export const HTTP_TIMES = {
  /** From the first byte of a request to the end of its headers. */
  headersMs: 15_000,
  /** From the first byte of a request to its last; a bulk body over a slow line needs some of it. */
  requestMs: 120_000,
  /** Between two looks for requests that are over these times. */
  checkMs: 5_000,
  /** Without a byte in either direction on a connection; streams send a comment more often than this. */
  connectionMs: 130_000,
  /** An idle connection is kept; longer than the 60 s after which common proxies give one up. */
  keepAliveMs: 75_000,
  /** For what listens to `onStopping`. */
  stoppingHooksMs: 500,
  /** For answers under way when stopping; then connections are closed. */
  drainMs: 3_000,
  /** Between two looks for connections without a request while stopping. */
  closeIdleMs: 50,
} as const;

export type HttpTimes = Readonly<Record<keyof typeof HTTP_TIMES, number>>;

/** Connections of one process; of one address as many as are free (`FairPool`). */
export const HTTP_CONNECTIONS = 20_000;
/** Of routes that do not set their own, in bytes. */
export const DEFAULT_BODY_BYTES = 1_048_576;
/** Longest path parameter, in characters. */
export const MAX_PARAM_CHARACTERS = 200;
