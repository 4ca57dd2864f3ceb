import { REPORTS_WAIT } from './delivery.ts';
import type { PollingReason } from './domain/watching.ts';
import type { LogStatus } from './log-watch.ts';

/** Status of an agent. Times are ISO 8601 by the machine's clock. */
export interface AgentStatus {
  readonly at: string;
  readonly startedAt: string;
  readonly agentVersion: string;
  readonly organisation: string;
  readonly device: string;
  readonly server: string;
  /** Time of the last accepted heartbeat whose answer was taken, with its configuration; null before the first since the start. */
  readonly lastHeartbeatAt: string | null;
  /** Interval of heartbeats, in seconds; absent in status files of older agents. */
  readonly heartbeatSeconds?: number;
  /** Why the last heartbeat, the current configuration does not arrive, or the last sending of reports failed; null after a success or before the first. */
  readonly problem: string | null;
  /** Milliseconds that the machine's clock is ahead of the server's; null while unknown. */
  readonly clockOffsetMs: number | null;
  /** Number of waiting reports. */
  readonly waiting: number;
  readonly oldestUnsent: string | null;
  /** Number of the agent's unsent notices. */
  readonly eventsWaiting: number;
  /** Those of them that the server would drop now, because it took one of their code and file; absent in status files of older agents. */
  readonly eventsHeld?: number;
  /** Number of refusals for good since the start. */
  readonly setAside: number;
  /** Number of accepted reports without a valid proof; their receipts are in the state folder. */
  readonly brokenPromises: number;
  /** Why receipts are missing, not valid, not checked or not kept; null without a problem, absent in status files of older agents. */
  readonly receiptProblem?: string | null;
  /** Status of the published log; null without trust for checking it. */
  readonly log: LogStatus | null;
  readonly files: readonly FileStatus[];
}

/** Status as a process writes it for `sentinel agent status`. */
export interface WrittenStatus extends AgentStatus {
  /** Interval at which the process writes it, in seconds; absent in files of older agents. */
  readonly writtenEverySeconds?: number;
  /** One line for each configuration of the same process of which no file is watched; absent in older files. */
  readonly notWatched?: readonly string[];
}

export interface FileStatus {
  readonly id: string;
  readonly path: string;
  readonly type: 'PROBE' | 'FOLLOW';
  /** Longest time between two looks, in seconds; with events, the interval of the looks that detect lost events. */
  readonly everySeconds: number;
  /** Whether file system events drive the looks; only FOLLOW files use events, where available. */
  readonly events: boolean;
  /** Why a FOLLOW file has no events; null when it has events or is a PROBE file. */
  readonly polling: PollingReason | null;
  /** Time of the last look whose result is on disk; null before the first since the start. */
  readonly checkedAt: string | null;
  /** Why the file cannot be checked; null without a problem. */
  readonly problem: string | null;
  /** Why archives of a rolled file cannot be read, so that they are not checked; null when all can be. */
  readonly archives: string | null;
  /** Whether only a later look shows the state of the file or of its archives; absent in status files of older agents. */
  readonly pending?: boolean;
  readonly waiting: number;
}

/** Returns the files with a problem or without a look since the start. */
export const uncheckedFiles = ({ files }: AgentStatus): readonly FileStatus[] =>
  files.filter(({ checkedAt, problem }) => checkedAt === null || problem !== null);

/** Returns the unchecked files without those that were looked at, and whose reports the server does not take. */
export const notLookedAt = (status: AgentStatus): readonly FileStatus[] =>
  uncheckedFiles(status).filter(({ checkedAt, problem }) => checkedAt === null || problem !== REPORTS_WAIT);

/** Returns the files with archives that are not checked; older status files do not name any. */
export const filesWithFaults = ({ files }: AgentStatus): readonly FileStatus[] =>
  files.filter(({ archives }) => typeof archives === 'string');

/** Returns the files without a problem whose last look found nothing yet. */
export const pendingFiles = ({ files }: AgentStatus): readonly FileStatus[] =>
  files.filter(({ pending, problem }) => pending === true && problem === null);

/**
 * Returns whether all work is done: each file has a problem or its last look found something and is known to the server, no
 * report waits, nor a notice that the server would take, and the log was looked at.
 */
export const isSettled = (status: AgentStatus): boolean => {
  const { files, waiting, eventsHeld = 0, eventsWaiting, lastHeartbeatAt, log, problem } = status;
  return (
    pendingFiles(status).length === 0 &&
    waiting === 0 &&
    log?.lookedAt !== null &&
    eventsWaiting === eventsHeld &&
    problem === null &&
    lastHeartbeatAt !== null &&
    files.every(
      (file) => file.problem !== null || (file.checkedAt !== null && file.checkedAt <= lastHeartbeatAt),
    )
  );
};

/** Returns whether the server lacks an accepted report, or receipts or the published log have a problem. */
export const isPromiseBroken = ({ brokenPromises, log, receiptProblem }: AgentStatus): boolean =>
  brokenPromises > 0 || typeof receiptProblem === 'string' || typeof log?.problem === 'string';
