import { LIMITS } from '@sentinel-node/contracts';

/** Limits of ingestion alone; those that agents must know are in contracts (`LIMITS`). */
export interface IngestionLimits {
  /** Bodies that are being read or judged, all requests together, as they are after decompression. */
  readonly bodyBytesInFlight: number;
  /** Devices whose entity is kept. */
  readonly cachedDevices: number;
  /** Files of those devices, all together: a device can have one or thousands. */
  readonly cachedFiles: number;
  /** A cached device is read again after this long without news of it. */
  readonly cacheMs: number;
  /** Between two proofs that everything of the registry was heard. */
  readonly beatMs: number;
  /** What is kept is good enough for this long after the last proof; a revocation takes effect within it. */
  readonly provenForMs: number;
  /** Commits that are not in the registry topic yet, read at once; with as many nothing is proven. */
  readonly unpublishedCommits: number;
  /** Reads of the store that run at once, and that wait for one of these. */
  readonly storeReads: number;
  readonly storeReadsWaiting: number;
  /** Devices whose instance ids are remembered to find two agents of one device. */
  readonly agentDevices: number;
  /** Files whose last MALFORMED_DATA event is remembered. */
  readonly malformedFiles: number;
  readonly malformedEveryMs: number;
  readonly twoAgentsEveryMs: number;
  /** One `append`: a longer bulk body goes in several, one after the other. */
  readonly appendBytes: number;
  /** Heartbeats and reads of the configuration, together. */
  readonly deviceCallsPerMinute: number;
  /** Lines of a bulk body that are judged before other requests have their turn. */
  readonly linesPerTurn: number;
}

export const INGESTION_LIMITS: IngestionLimits = {
  bodyBytesInFlight: 8 * LIMITS.bulkBytes,
  cachedDevices: 20_000,
  cachedFiles: 250_000,
  cacheMs: 30_000,
  beatMs: 1_000,
  provenForMs: 5_000,
  unpublishedCommits: 100,
  storeReads: 64,
  storeReadsWaiting: 4_096,
  agentDevices: 50_000,
  malformedFiles: 100_000,
  malformedEveryMs: 60_000,
  twoAgentsEveryMs: 3_600_000,
  appendBytes: 4 * 1_048_576,
  deviceCallsPerMinute: 600,
  linesPerTurn: 500,
};
