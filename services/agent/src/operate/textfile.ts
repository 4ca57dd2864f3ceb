import { filesWithFaults, uncheckedFiles, type AgentStatus } from '../status.ts';

interface Metric {
  readonly name: string;
  readonly help: string;
  /** Returns the value; undefined omits the line. */
  readonly value: (status: AgentStatus) => number | undefined;
}

const secondsOf = (time: string | null): number | undefined =>
  time === null ? undefined : Date.parse(time) / 1_000;

const METRICS: readonly Metric[] = [
  {
    name: 'sentinel_agent_written_timestamp_seconds',
    help: 'When the agent wrote this; an old time means that it no longer runs',
    value: ({ at }) => secondsOf(at),
  },
  { name: 'sentinel_agent_files', help: 'Files that it watches', value: ({ files }) => files.length },
  {
    name: 'sentinel_agent_files_unchecked',
    help: 'Files that are not checked, or were not yet',
    value: (status) => uncheckedFiles(status).length,
  },
  {
    name: 'sentinel_agent_files_archives_unread',
    help: 'Files with archives that cannot be read, and so are not checked',
    value: (status) => filesWithFaults(status).length,
  },
  {
    name: 'sentinel_agent_problem',
    help: '1: the device has a problem that agent status names, such as a configuration that does not arrive',
    value: ({ problem }) => Number(problem !== null),
  },
  {
    name: 'sentinel_agent_reports_waiting',
    help: 'Reports that wait for the server',
    value: ({ waiting }) => waiting,
  },
  {
    name: 'sentinel_agent_oldest_unsent_timestamp_seconds',
    help: 'Time of the oldest report that waits',
    value: ({ oldestUnsent }) => secondsOf(oldestUnsent),
  },
  {
    name: 'sentinel_agent_reports_refused_total',
    help: 'Reports that the server refused for good',
    value: ({ setAside }) => setAside,
  },
  {
    name: 'sentinel_agent_promises_broken',
    help: 'Reports that the server accepted and could not show later',
    value: ({ brokenPromises }) => brokenPromises,
  },
  {
    name: 'sentinel_agent_receipt_problem',
    help: '1: receipts of accepted reports are missing, not valid, not kept, or could not be checked for a day',
    value: ({ receiptProblem }) => Number(typeof receiptProblem === 'string'),
  },
  {
    name: 'sentinel_agent_log_problem',
    help: '1: the published log does not go on from what the agent saw, or cannot be read',
    value: ({ log }) => (log === null ? undefined : Number(log.problem !== null)),
  },
  {
    name: 'sentinel_agent_last_heartbeat_timestamp_seconds',
    help: 'Last heartbeat that the server took',
    value: ({ lastHeartbeatAt }) => secondsOf(lastHeartbeatAt),
  },
  {
    name: 'sentinel_agent_heartbeat_interval_seconds',
    help: 'Interval of heartbeats; after three without one the server shows the device as lost',
    value: ({ heartbeatSeconds }) => heartbeatSeconds,
  },
  {
    name: 'sentinel_agent_clock_offset_seconds',
    help: 'Seconds that the clock is ahead of the server',
    value: ({ clockOffsetMs }) => (clockOffsetMs === null ? undefined : clockOffsetMs / 1_000),
  },
];

const NOT_WATCHED = 'sentinel_agent_configurations_not_watched';

/**
 * Returns the metrics for Prometheus' node exporter (text exposition format 0.0.4).
 * @param notWatched number of configurations of which no file is watched
 */
export function metricsText(agents: readonly AgentStatus[], notWatched: number): string {
  const ofProcess = `# HELP ${NOT_WATCHED} Configurations of which no file is watched\n# TYPE ${NOT_WATCHED} gauge\n${NOT_WATCHED} ${notWatched}\n`;
  const ofDevices = METRICS.map(({ name, help, value }) => {
    const lines = agents.flatMap((agent) => {
      const now = value(agent);
      return now === undefined ? [] : [`${name}{device="${agent.device}"} ${now}\n`];
    });
    if (lines.length === 0) return '';
    const type = name.endsWith('_total') ? 'counter' : 'gauge';
    return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
  });
  return [ofProcess, ...ofDevices].join('');
}
