/** Times of the HTTP server, in milliseconds. */
export const HTTP_TIMES = {
  /** Limit from the first byte of a request to the end of its headers. */
  headersMs: 15_000,
  /** Limit from the first byte of a request to its last; a bulk body over a slow line may need most of the limit. */
  requestMs: 120_000,
  /** Time between two checks for requests that exceed these limits. */
  checkMs: 5_000,
  /** Limit without a byte in either direction on a connection; streams send comments more often. */
  connectionMs: 130_000,
  /** Idle time after which a connection is closed; longer than the 60 s of common proxies. */
  keepAliveMs: 75_000,
  /** Limit for reading and dropping the rest of a body after an answer that closes the connection. */
  lingerMs: 30_000,
  /** Time without a byte of this rest after which the connection is closed. */
  lingerIdleMs: 5_000,
  /** Limit for hooks of `onStopping`. */
  stoppingHooksMs: 500,
  /** Limit for running answers during the stop; then connections are closed. */
  drainMs: 3_000,
  /** Time between two checks for connections without a request during the stop. */
  closeIdleMs: 50,
} as const;

export type HttpTimes = Readonly<Record<keyof typeof HTTP_TIMES, number>>;

/** The most connections of one process; one address can have as many as are free (`FairPool`). */
export const HTTP_CONNECTIONS = 20_000;
/** Longest body, in bytes, of routes that set no limit. */
export const DEFAULT_BODY_BYTES = 1_048_576;
/** Most bytes of a body that are read and dropped after an answer that closes the connection; four bulk bodies. */
export const LINGER_BYTES = 67_108_864;
/** Longest path parameter, in characters. */
export const MAX_PARAM_CHARACTERS = 200;
