/** Sends every notice of the topic to the operator's syslog receiver, in order, and stores its position. */
import { GROUPS, TOPICS, type NoticeEvent } from '@sentinel-node/contracts';
import {
  CHECKPOINTS_COLLECTION,
  checkpointBatch,
  Lifecycle,
  retryTransient,
  TargetUnavailableError,
  tlsOptions,
  TlsSession,
  type Clock,
  type Config,
  type DocumentStore,
  type EventLog,
  type Log,
  type Metrics,
  type Random,
  type RecordBatch,
  type SyslogConfig,
  type Timers,
  type TLS_SESSION_TIMES,
  UnreadableRecordError,
} from '@sentinel-node/platform';
import { readStart, unfinished } from '../notifications/index.ts';
import { readNoticeRecord } from '../views/index.ts';
import { Connections, type ConnectionTimes } from './connections.ts';
import { SYSLOG_LIMITS } from './limits.ts';
import { frameMessage, type MessageOptions } from './message.ts';

const VARIABLES = 'SENTINEL_SYSLOG_TLS';
const OUTCOMES = ['delivered', 'failed'] as const;

export interface SyslogDeps {
  readonly store: DocumentStore;
  readonly eventLog: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly timers: Timers;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly config: Pick<Config, 'publicUrl'>;
  readonly syslog: SyslogConfig;
  /** For tests. */
  readonly times?: Partial<ConnectionTimes> &
    Partial<Record<keyof typeof TLS_SESSION_TIMES | 'alarmMs', number>>;
}

export interface SyslogFollower {
  /** Rejects when the follower stopped for good. */
  readonly failed: Promise<never>;
  /** @throws ConfigError, Error of node:fs when the files of the connection cannot be used */
  start(): Promise<void>;
  /** Stops; notices under way are sent again after the next start. */
  stop(): Promise<void>;
}

export function syslogFollower(deps: SyslogDeps): SyslogFollower {
  const { store, eventLog, timers, log, syslog, times } = deps;
  const lifecycle = new Lifecycle((error) =>
    log.fatal({ err: error }, 'no syslog messages are sent any more'),
  );
  const { host, port, tls } = syslog;
  const state = stateOf(deps);
  const connections = new Connections({
    ...deps,
    open: (signal) =>
      TlsSession.open({ host, port, tls, variables: VARIABLES, signal, ...(times && { times }) }),
    onEnd: (error) => state.ended(error),
  });
  const message: MessageOptions = { ...syslog, host: new URL(deps.config.publicUrl).hostname };
  const send = async (notices: readonly NoticeEvent[]): Promise<void> => {
    const bytes = Buffer.concat(notices.map((notice) => frameMessage(notice, message)));
    while (bytes.length > 0)
      try {
        await connections.send(bytes);
        break;
      } catch (error) {
        if (connections.isStopping || !(error instanceof TargetUnavailableError)) throw error;
      }
  };
  return {
    failed: lifecycle.failed,
    start: async () => {
      tlsOptions(tls, VARIABLES);
      await store.ensure([CHECKPOINTS_COLLECTION]);
      const { ends } = await readStart(deps, [TOPICS.notices], GROUPS.syslog);
      const handle = async (batch: RecordBatch): Promise<void> => {
        const repeated = <T>(work: () => Promise<T>) =>
          retryTransient(timers, () => connections.isStopping, work);
        const waiting = state.waits();
        try {
          const records = await repeated(() => unfinished(store, GROUPS.syslog, batch, ends));
          const notices = records.flatMap((stored) => noticeOf(stored, log) ?? []);
          for (const { time } of notices) waiting.since(Date.parse(time));
          await send(notices);
          const checkpoint = checkpointBatch(GROUPS.syslog, batch);
          await repeated(() => store.writeBatches([checkpoint]));
          state.sent(notices.length);
        } finally {
          waiting.end();
        }
      };
      const options = { maxRecords: SYSLOG_LIMITS.batch };
      lifecycle.run(await eventLog.consume([TOPICS.notices], GROUPS.syslog, handle, options));
    },
    stop: async () => {
      connections.stop();
      await lifecycle.stop();
    },
  };
}

/**
 * Returns undefined, and raises an alarm, for a record that cannot be read: it must not block the records
 * behind it.
 */
function noticeOf(stored: RecordBatch['records'][number], log: Log): NoticeEvent | undefined {
  try {
    return readNoticeRecord(stored);
  } catch (error) {
    if (!(error instanceof UnreadableRecordError)) throw error;
    log.error({ err: error }, 'a record of the topic of notices is none; it is not sent by syslog');
    return undefined;
  }
}

/** A batch that waits for its delivery. */
interface WaitingBatch {
  /** Records that a notice of it is from this time (ms): it may have waited since before this process. */
  since(atMs: number): void;
  end(): void;
}

interface State {
  waits(): WaitingBatch;
  ended(error: unknown): void;
  sent(notices: number): void;
}

/** Reports the state of delivery in log and metrics. @boundedBy the partitions of the topic */
function stateOf({ clock, log, metrics, times }: SyslogDeps): State {
  const alarmMs = times?.alarmMs ?? SYSLOG_LIMITS.alarmMs;
  const since = new Set<{ at: number }>();
  const waitingMs = (): number => Math.max(0, ...[...since].map(({ at }) => clock.now() - at));
  let isFailing = false;
  let isAlarmed = false;
  metrics.observedGauge(
    {
      name: 'query_syslog_waiting_seconds',
      help: 'How long the notices that are being sent by syslog have waited for their delivery; 0: none waits.',
    },
    () => waitingMs() / 1_000,
  );
  const connections = metrics.counter({
    name: 'query_syslog_connections_total',
    help: 'Connections to the syslog receiver: ended by both sides, or failed.',
    labels: { outcome: OUTCOMES },
  });
  const notices = metrics.counter({
    name: 'query_syslog_notices_total',
    help: 'Notices that the syslog receiver has taken; one that was sent again counts once.',
  });
  return {
    waits: () => {
      const own = { at: clock.now() };
      since.add(own);
      return {
        since: (atMs) => void (own.at = Math.min(own.at, atMs)),
        end: () => void since.delete(own),
      };
    },
    ended: (error) => {
      connections({ outcome: error === undefined ? 'delivered' : 'failed' });
      if (error === undefined) {
        if (isFailing) log.info('the syslog receiver takes notices again');
        isFailing = isAlarmed = false;
        return;
      }
      if (!isFailing) log.warn({ err: error }, 'the syslog receiver takes no notices; they wait in the log');
      isFailing = true;
      if (isAlarmed || waitingMs() < alarmMs) return;
      isAlarmed = true;
      log.error({ err: error }, 'notices wait for the syslog receiver');
    },
    sent: (count) => notices({}, count),
  };
}
