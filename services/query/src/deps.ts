import type {
  Clock,
  Config,
  DocumentStore,
  EventLog,
  Log,
  Mailer,
  Metrics,
  Random,
  Timers,
} from '@sentinel-node/platform';

/** What the query service stands on. */
export interface QueryDeps {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly timers: Timers;
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  readonly secrets: { readonly masterSecret: string };
  /** Folder of the built console; absent: no console is served. */
  readonly consoleFolder?: string;
  /** Sends mails when `config.mail` names a server; absent: by SMTP. Closed when the service stops. */
  readonly mailer?: Mailer;
}
