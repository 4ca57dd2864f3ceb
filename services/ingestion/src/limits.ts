import { LIMITS } from '@sentinel-node/contracts';

/** Limits of ingestion alone; those that agents must know are in contracts (`LIMITS`). */
export interface IngestionLimits {
  /**
   * Bulk bodies that are being read or judged, as they are after decompression: all of them, and those of one device.
   * The second body of a device is the one that is sent again while the first is not yet known to be lost.
   */
  readonly bulkBodyBytes: number;
  readonly bulkBodyBytesPerDevice: number;
  /** Single reports and heartbeats, the same way. */
  readonly smallBodyBytes: number;
  readonly smallBodyBytesPerDevice: number;
  /** A body that brings less than `bodyBytesPerSecond` over `bodyWindowMs` is given up with 408. */
  readonly bodyWindowMs: number;
  readonly bodyBytesPerSecond: number;
  /** Devices whose entity is kept. */
  readonly cachedDevices: number;
  /** Files of those devices, all together: a device can have one or thousands. */
  readonly cachedFiles: number;
  /** A cached device is read again when no change of it has arrived for this long. */
  readonly cacheMs: number;
  /** Between two probes of whether every change of the registry has arrived. */
  readonly probeIntervalMs: number;
  /** The cache is trusted for this long after a successful probe; a revocation takes effect within it. */
  readonly freshForMs: number;
  /** Commits that are not in the registry topic yet, read at once; with as many the probe fails. */
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
  /** Between two events of one code that an agent says of one file, or of itself. */
  readonly agentEventEveryMs: number;
  /** One `append`: a longer bulk body goes in several, one after the other. */
  readonly appendBytes: number;
  /** Records that are being appended; the rest of what the log takes (64 MiB) stays for what is no report. */
  readonly appendingBytes: number;
  /** Heartbeats and reads of the configuration, together. */
  readonly deviceCallsPerMinute: number;
  /** Lines of a bulk body that are judged before other requests have their turn. */
  readonly linesPerTurn: number;
}

export const INGESTION_LIMITS: IngestionLimits = {
  bulkBodyBytes: 8 * LIMITS.bulkBytes,
  bulkBodyBytesPerDevice: 2 * LIMITS.bulkBytes,
  smallBodyBytes: 16 * LIMITS.reportBytes,
  smallBodyBytesPerDevice: 4 * LIMITS.reportBytes,
  bodyWindowMs: 10_000,
  bodyBytesPerSecond: 2_048,
  cachedDevices: 20_000,
  cachedFiles: 250_000,
  cacheMs: 30_000,
  probeIntervalMs: 1_000,
  freshForMs: 5_000,
  unpublishedCommits: 100,
  storeReads: 64,
  storeReadsWaiting: 4_096,
  agentDevices: 50_000,
  malformedFiles: 100_000,
  malformedEveryMs: 60_000,
  twoAgentsEveryMs: 3_600_000,
  agentEventEveryMs: 60_000,
  appendBytes: 4 * 1_048_576,
  appendingBytes: 48 * 1_048_576,
  deviceCallsPerMinute: 600,
  linesPerTurn: 500,
};
