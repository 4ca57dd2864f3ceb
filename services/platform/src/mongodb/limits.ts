/** Defaults of `openMongoDocumentStore`. */
export const MONGO_STORE_LIMITS = {
  /** Calls that run or wait for a connection; more are refused with OverloadedError. */
  pendingCalls: 10_000,
  /** Approximate bytes of documents in these calls. */
  pendingBytes: 64 * 1_048_576,
  /** Connections of one process to one server. */
  connections: 24,
  /**
   * Further connections for `writeBatches`: what consumers of the log write does not wait behind calls of people, so
   * that an organisation that calls often does not delay the views of the others.
   */
  batchConnections: 12,
  /** Milliseconds until a TCP (and TLS) connection is open; also the limit of one heartbeat to a server. */
  connectMs: 5_000,
  /** Milliseconds between two heartbeats to a server. */
  heartbeatMs: 5_000,
  /** Milliseconds that a call waits for a usable server: an election, a restart. */
  serverSelectionMs: 10_000,
  /** Milliseconds that a call waits for a free connection. */
  connectionWaitMs: 5_000,
  /** Milliseconds after which a connection without a byte of the answer is given up; the driver then retries once. */
  answerMs: 15_000,
  /** Milliseconds that the server may take for one read, and for a write until a majority has stored it. */
  serverMs: 10_000,
  /** Milliseconds without a write that succeeded after which a store that refuses writes makes the process not ready. */
  refusedWritesMs: 30_000,
  /** Milliseconds between two writes that ask a store that refused one whether it takes writes again. */
  writeProbeMs: 2_000,
  /** Milliseconds that building an index over a filled collection may take. */
  indexBuildMs: 3_600_000,
} as const;

export type MongoStoreLimits = Record<keyof typeof MONGO_STORE_LIMITS, number>;

/** Documents of one command of a bulk write; the second limit is about their bytes. */
export const COMMAND_DOCUMENTS = 1_000;
export const COMMAND_BYTES = 8 * 1_048_576;
/** Ids of one command. */
export const COMMAND_IDS = 1_000;
/** Documents of one page of a scan. */
export const SCAN_PAGE_DOCUMENTS = 500;
/** Largest document that MongoDB accepts, in bytes (its `maxBsonObjectSize`). */
export const DOCUMENT_BYTES = 16 * 1_048_576;
/** Deepest nesting of arrays and objects that MongoDB accepts, in levels. */
export const DOCUMENT_LEVELS = 100;
