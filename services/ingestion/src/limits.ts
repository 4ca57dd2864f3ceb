import { LIMITS } from '@sentinel-node/contracts';

/** Limits of ingestion alone; limits that agents must know are in contracts (`LIMITS`). */
export interface IngestionLimits {
  /**
   * Limits for bulk bodies that are being read or judged, in bytes after decompression: in total, and for one device. A
   * device has room for a second body, which it sends again while the loss of the first is not yet known.
   */
  readonly bulkBodyBytes: number;
  readonly bulkBodyBytesPerDevice: number;
  /** The same limits for single reports and heartbeats. */
  readonly smallBodyBytes: number;
  readonly smallBodyBytesPerDevice: number;
  /** A body with fewer than `bodyBytesPerSecond` over `bodyWindowMs` is refused with 408. */
  readonly bodyWindowMs: number;
  readonly bodyBytesPerSecond: number;
  /** The most bulk bodies that are decompressed at once. */
  readonly unpackedAtOnce: number;
  /** The most bulk bodies of one organisation that wait to be decompressed, and the longest wait. */
  readonly unpackWaiting: number;
  readonly unpackWaitMs: number;
  /** The most cached devices. */
  readonly cachedDevices: number;
  /** The most files of all cached devices together: a device can have one file or thousands. */
  readonly cachedFiles: number;
  /** A cached device is read again when no change of it arrived for this time. */
  readonly cacheMs: number;
  /** Milliseconds between two probes for missing changes of the registry. */
  readonly probeIntervalMs: number;
  /** The cache is trusted for this time after a successful probe; a revocation takes effect within it. */
  readonly freshForMs: number;
  /** Unpublished commits that one read returns; with this many the probe fails. */
  readonly unpublishedCommits: number;
  /** Reads of the store that run in parallel; the second limit is for waiting reads. */
  readonly storeReads: number;
  readonly storeReadsWaiting: number;
  /** Devices whose heartbeats are remembered. */
  readonly agentDevices: number;
  /** Files whose last MALFORMED_DATA event is remembered. */
  readonly malformedFiles: number;
  readonly malformedEveryMs: number;
  /** Files whose last report was refused for good, as far as they are remembered. */
  readonly refusedFiles: number;
  /** Milliseconds between two exchanges of refused files with other processes, and the most that one of them writes. */
  readonly refusedFilesEveryMs: number;
  readonly refusedFilesTold: number;
  /** The longest that a process which stops waits for the store to take what it has to tell of refused files, ms. */
  readonly refusedFilesTellAtEndMs: number;
  /** Age of the oldest change that is read again, because the clocks of processes may differ by as much. */
  readonly refusedFilesOverlapMs: number;
  /** Exchanges between two reads of all these changes, when they are more than one read returns. */
  readonly refusedFilesAllEvery: number;
  /** Milliseconds between two attempts to follow the heartbeats that other processes keep. */
  readonly followHealthAgainMs: number;
  /** Milliseconds between two notices of one kind about a device: two agents, reports that wait, an ended key. */
  readonly deviceNoticeEveryMs: number;
  /** Milliseconds between two events of one code from one start of an agent, about one file or about itself. */
  readonly agentEventEveryMs: number;
  /** Bytes of one `append`; a longer bulk body needs several, one after the other. */
  readonly appendBytes: number;
  /** Bytes of records that are being appended; the rest of the log's limit (64 MiB) is for other records. */
  readonly appendingBytes: number;
  /** Limits of heartbeats and reads of the configuration together, of a device and of its organisation. */
  readonly deviceCallsPerMinute: number;
  readonly organizationCallsPerSecond: number;
  readonly organizationCallsBurst: number;
  /** Files of a device that make one of its calls count as one more: each of its files is work of each such call. */
  readonly filesPerCall: number;
  /** Lines of a bulk body that are judged before other requests get a turn. */
  readonly linesPerTurn: number;
}

export const INGESTION_LIMITS: IngestionLimits = {
  bulkBodyBytes: 8 * LIMITS.bulkBytes,
  bulkBodyBytesPerDevice: 2 * LIMITS.bulkBytes,
  smallBodyBytes: 16 * LIMITS.reportBytes,
  smallBodyBytesPerDevice: 4 * LIMITS.reportBytes,
  bodyWindowMs: 10_000,
  bodyBytesPerSecond: 2_048,
  unpackedAtOnce: 8,
  unpackWaiting: 10_000,
  unpackWaitMs: 10_000,
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
  refusedFiles: 100_000,
  refusedFilesEveryMs: 2_000,
  refusedFilesTold: 1_000,
  refusedFilesTellAtEndMs: 1_000,
  refusedFilesOverlapMs: 1_320_000,
  refusedFilesAllEvery: 15,
  followHealthAgainMs: 5_000,
  deviceNoticeEveryMs: 3_600_000,
  agentEventEveryMs: 60_000,
  appendBytes: 4 * 1_048_576,
  appendingBytes: 48 * 1_048_576,
  // A device of 10,000 files may call every 8 s, which is more often than its shortest health interval.
  deviceCallsPerMinute: 600,
  // Heartbeats of 10,000 devices at their shortest health interval; a heartbeat and a configuration of each at once.
  organizationCallsPerSecond: 1_200,
  organizationCallsBurst: 20_000,
  filesPerCall: 125,
  linesPerTurn: 500,
};
