/** Sizes and times of the benchmarks; every count is bounded here. */

export const GOALS = {
  single: 0.85,
  bulk: 0.5,
  pipelinePerSecond: 24_000,
  growth: 0.85,
  kafkaIngest: 0.5,
  kafkaVerifier: 0.85,
  verifierMiB: 800,
  listP99Ms: 50,
  listToRead: 20,
  dashboardP99Ms: 20,
  dashboardBytes: 20_000,
  exportMiB: 150,
  /** Goal for the later half of storms, in MiB above the earlier half. */
  stormGrowthMiB: 50,
  /** Goal for the root, as a multiple of the time of the hashes alone. */
  root: 2,
  receiptMicros: 5,
  readableP99Ms: 1_000,
  /** At a quarter of `pipelinePerSecond`. */
  quarterP99Ms: 150,
  streamP99Ms: 500,
  overload: 0.95,
  rebuild: 0.3,
  folderBytes: 1_000,
  startSeconds: 3,
  caughtUpSeconds: 10,
  notifyP99Ms: 2_000,
  notifyRatio: 0.95,
  consoleDashboardMs: 1_000,
  consoleListMs: 500,
  consoleTaskMs: 100,
  consoleRowMs: 1_000,
  agentIdlePercent: 1,
  agentMiB: 120,
  /** Goal for the first scan, as a multiple of the time of aide. */
  agentScan: 0.8,
};

const FULL = {
  repeats: 3,
  warmUpSeconds: 3,
  ingestSeconds: 8,
  pipelineSeconds: 20,
  growthSeconds: 20,
  pipelineFiles: 10_000,
  growthFiles: [10_000, 100_000, 1_000_000],
  queryEvents: 500_000,
  queryAlerts: 20_000,
  queryCalls: 400,
  dashboardFiles: [100, 100_000],
  history: { events: 10_000_000, files: 1_000_000, alerts: 20_000 },
  exportEvents: 1_000_000,
  kafkaReports: 200_000,
  batchLeaves: 100_000,
  batchProofs: 1_000,
  rootPairs: 15,
  auditBatches: 10_000,
  auditTransactions: 200,
  receiptTurns: 25,
  receiptSeconds: 1,
  storm: { agents: 2_000, kept: 100, rounds: 8 },
  longFiles: 10_000,
  soakShare: 0.7,
  soakSeconds: 1_800,
  overloadTimes: 3,
  overloadSeconds: 300,
  overloadConnections: 200,
  readableSeconds: 60,
  killAfterSeconds: 10,
  rebuildSeconds: 30,
  streamConsoles: 1_000,
  streamSeconds: 20,
  eventsPerSecond: 100,
  consoleSize: {
    devices: 300,
    files: 20_000,
    alerts: 100_000,
    days: 30,
    scrollSeconds: 20,
    reports: 20,
    eventSeconds: 600,
    eventsPerSecond: 100,
  },
  notifyFiles: 2_000,
  notifySeconds: 10,
  alertsPerSecond: 100,
  agentScan: { files: 20_000, bytes: 50_000 },
  agentIdle: { files: 10_000, rolled: 200, archives: 14, settleSeconds: 35, windowSeconds: 300 },
};

const QUICK = {
  repeats: 1,
  warmUpSeconds: 0.3,
  ingestSeconds: 0.5,
  pipelineSeconds: 1,
  growthSeconds: 1,
  pipelineFiles: 400,
  growthFiles: [400, 800],
  queryEvents: 2_000,
  queryAlerts: 500,
  queryCalls: 10,
  dashboardFiles: [100, 1_000],
  history: { events: 5_000, files: 500, alerts: 100 },
  exportEvents: 5_000,
  kafkaReports: 5_000,
  batchLeaves: 2_000,
  batchProofs: 20,
  rootPairs: 2,
  auditBatches: 50,
  auditTransactions: 3,
  receiptTurns: 2,
  receiptSeconds: 0.5,
  storm: { agents: 20, kept: 10, rounds: 2 },
  longFiles: 400,
  soakShare: 0.7,
  soakSeconds: 3,
  overloadTimes: 3,
  overloadSeconds: 3,
  overloadConnections: 40,
  readableSeconds: 3,
  killAfterSeconds: 1,
  rebuildSeconds: 1,
  streamConsoles: 40,
  streamSeconds: 1,
  eventsPerSecond: 20,
  consoleSize: {
    devices: 6,
    files: 60,
    alerts: 60,
    days: 1,
    scrollSeconds: 1,
    reports: 2,
    eventSeconds: 6,
    eventsPerSecond: 20,
  },
  notifyFiles: 200,
  notifySeconds: 1,
  alertsPerSecond: 20,
  agentScan: { files: 200, bytes: 5_000 },
  agentIdle: { files: 100, rolled: 5, archives: 3, settleSeconds: 1, windowSeconds: 2 },
};

export const settingsOf = ({ quick }) => (quick ? QUICK : FULL);

/** Connections that send one report a request, each waiting for its answer. */
export const SINGLE_CONNECTIONS = 50;
/** Connections that send bulk bodies, and lines of one. */
export const BULK_CONNECTIONS = 8;
export const BULK_LINES = 1_000;
/** The senders of the pipeline: many small ones, each with files of any partition. */
export const PIPELINE_CONNECTIONS = 16;
export const PIPELINE_LINES = 100;
/** Reports accepted and not yet projected: the senders pause above `pause` and go on below `resume`. */
export const BACKLOG = { pause: 20_000, resume: 12_000 };
/** Interval between two reads of the server's counters, in milliseconds. */
export const POLL_MS = 200;
/** The longest wait for a child's answer or for a backlog to drain, in milliseconds. */
export const PATIENCE_MS = 180_000;
/** The longest storm, in milliseconds; reports that are not accepted by then are lost. */
export const STORM_PATIENCE_MS = 600_000;
/** The longest wait for the last events of live streams, in milliseconds. */
export const STREAM_PATIENCE_MS = 30_000;
/** Records of one append or `sendBatch` of a run on Kafka. */
export const KAFKA_APPEND_RECORDS = 1_000;
export const FILES_PER_DEVICE = 2_000;
/** The organisation of `query` and `export`: its size, its time span, the depth of `deep`, and simultaneous clients. */
export const ARCHIVE = {
  devices: 20,
  filesPerDevice: 50,
  spanMs: 2 * 365 * 24 * 3_600_000,
  deepShare: 0.9,
  connections: 4,
};
/** Sizes of a dashboard besides the number of files: more events and alerts than it shows. */
export const DASHBOARD = { filesPerDevice: 100, events: 2_000, alerts: 200 };
