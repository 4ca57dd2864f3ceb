/** Judges what an agent's heartbeats say of reports that do not reach the server. */
import type { Heartbeat } from '@sentinel-node/contracts';

/** The agent's reports wait although heartbeats are answered. Agents use the code as well. */
export const REPORTS_WAIT = 'REPORTS_WAIT';
/** The last report of the file was refused for good, and no other one was accepted since. */
export const REPORT_REFUSED = 'REPORT_REFUSED';

/** Health intervals: age of a waiting report, and duration for which heartbeats told of such a one. */
const INTERVALS = 3;
const MS_PER_SECOND = 1_000;

/** The last heartbeat of an instance of an agent. */
export interface Delivery {
  readonly seenAtMs: number;
  /** Time of the first of the heartbeats in a row that told of an old waiting report; undefined when the last did not. */
  readonly behindSinceMs: number | undefined;
  /** Number of reports set aside that the organisation was told of. */
  readonly toldSetAside: number;
}

export interface Undelivered {
  readonly delivery: Delivery;
  /** True when old reports have waited for three intervals while heartbeats were answered. */
  readonly isStuck: boolean;
  /** Number of reports that were set aside and not told yet. */
  readonly setAside: number;
}

/**
 * Counts time only while heartbeats arrive: after an outage an agent needs time to send what it kept.
 * @param before of the same instance; of a new one as `deliveryAtStart`
 */
export function recordDelivery(
  before: Delivery | undefined,
  heartbeat: Heartbeat,
  nowMs: number,
  healthIntervalSeconds: number,
): Undelivered {
  const { setAside = 0 } = heartbeat;
  const allowedMs = INTERVALS * healthIntervalSeconds * MS_PER_SECOND;
  const goesOn = before !== undefined && nowMs - before.seenAtMs <= allowedMs;
  const isBehind = waitedMs(heartbeat) >= allowedMs;
  const earlierMs = goesOn ? (before.behindSinceMs ?? nowMs) : nowMs;
  // The clock may have gone back since.
  const behindSinceMs = isBehind ? Math.min(earlierMs, nowMs) : undefined;
  const toldSetAside = Math.min(before?.toldSetAside ?? 0, setAside);
  return {
    delivery: { seenAtMs: nowMs, behindSinceMs, toldSetAside },
    isStuck: behindSinceMs !== undefined && nowMs - behindSinceMs >= allowedMs,
    setAside: setAside - toldSetAside,
  };
}

/**
 * Returns what holds for a new instance: its reports may have waited since before its start, as those of an agent that is started for each
 * look. It counts anew which reports it set aside. @param last of the instance that was heard last
 */
export const deliveryAtStart = (last: Delivery | undefined): Delivery | undefined =>
  last && { ...last, toldSetAside: 0 };

/** Age (ms) of the oldest waiting report by the agent's clock, which may have gone back since. */
function waitedMs({ timestamp, queue, oldestUnsent }: Heartbeat): number {
  return queue === 0 || oldestUnsent === null
    ? 0
    : Math.abs(Date.parse(timestamp) - Date.parse(oldestUnsent));
}

/** Returns whether the agent says itself that reports do not reach the server. */
export const saysReportsWait = ({ files }: Heartbeat): boolean =>
  files.some(({ problem }) => problem === REPORTS_WAIT);

/** Returns whether every file that the heartbeat names has this reason, as those of a stuck agent have in the record of it. */
export const saysAllWait = ({ files }: Heartbeat): boolean =>
  files.length > 0 && files.every(({ problem }) => problem === REPORTS_WAIT);

/**
 * Returns the ids of the files that a stuck agent names: each may be one whose report waits. Empty if the agent gives the
 * reason of a file itself, because then it also knows which files are well.
 */
export function filesOfStuck({ files }: Heartbeat): readonly string[] {
  return files.some(({ problem }) => problem !== undefined) ? [] : files.map(({ id }) => id);
}

/** Returns the heartbeat with the reasons why the server cannot know the state of files; those of the agent stay. */
export function withProblems(heartbeat: Heartbeat, problems: ReadonlyMap<string, string>): Heartbeat {
  if (problems.size === 0) return heartbeat;
  const files = heartbeat.files.map((file) => {
    const problem = file.problem ?? problems.get(file.id);
    return problem === undefined ? file : { ...file, problem };
  });
  return { ...heartbeat, files };
}
