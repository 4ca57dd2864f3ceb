import type { PollingReason } from './domain/watching.ts';
import type { LogStatus } from './log-watch.ts';

/** What an agent knows of itself. Times are ISO 8601 by the machine's clock. */
export interface AgentStatus {
  readonly at: string;
  readonly startedAt: string;
  readonly agentVersion: string;
  readonly organisation: string;
  readonly device: string;
  readonly server: string;
  /** Of the last heartbeat that the server took; null: none since the start. */
  readonly lastHeartbeatAt: string | null;
  /** Why the last heartbeat was not taken; null: it was, or none was sent yet. */
  readonly problem: string | null;
  /** Milliseconds that the machine's clock is ahead of the server's; null: not known yet. */
  readonly clockOffsetMs: number | null;
  /** Reports that wait for the server. */
  readonly waiting: number;
  readonly oldestUnsent: string | null;
  /** What the agent has to say of itself and the server does not know yet. */
  readonly eventsWaiting: number;
  /** Reports that the server refused for good since the start. */
  readonly setAside: number;
  /** Reports that the server accepted and could not show later; their receipts are in the state folder. */
  readonly brokenPromises: number;
  /** Of the published log; null: there is no trust file to check it with. */
  readonly log: LogStatus | null;
  readonly files: readonly FileStatus[];
}

export interface FileStatus {
  readonly id: string;
  readonly path: string;
  readonly type: 'PROBE' | 'FOLLOW';
  /** Seconds between two looks at the most; with events, the look that confirms that none was lost. */
  readonly everySeconds: number;
  /** Whether events of the file system drive the looks, as they do for FOLLOW files where they can be had. */
  readonly events: boolean;
  /** Why a FOLLOW file is looked at without events; null: it has them, or is a PROBE file. */
  readonly polling: PollingReason | null;
  /** Of the last look whose result is on disk; null: none since the start. */
  readonly checkedAt: string | null;
  /** Why the file is not looked at; null: it is. */
  readonly problem: string | null;
  readonly waiting: number;
}

/** Files that are not looked at, or have not been since the start. */
export const uncheckedFiles = ({ files }: AgentStatus): readonly FileStatus[] =>
  files.filter(({ checkedAt, problem }) => checkedAt === null || problem !== null);

/** Each file was looked at or has a problem, the server has all reports, it was told, and its log was looked at. */
export const isSettled = ({
  files,
  waiting,
  eventsWaiting,
  lastHeartbeatAt,
  log,
  problem,
}: AgentStatus): boolean =>
  waiting === 0 &&
  log?.lookedAt !== null &&
  eventsWaiting === 0 &&
  problem === null &&
  lastHeartbeatAt !== null &&
  files.every(
    (file) => file.problem !== null || (file.checkedAt !== null && file.checkedAt <= lastHeartbeatAt),
  );

/** The server could not show what it accepted, or its log does not go on from what the agent saw. */
export const isPromiseBroken = ({ brokenPromises, log }: AgentStatus): boolean =>
  brokenPromises > 0 || typeof log?.problem === 'string';
