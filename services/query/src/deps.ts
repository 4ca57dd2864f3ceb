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

/** The dependencies of the query service. */
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
  /** Folder of the built console; when absent, the service serves no console. */
  readonly consoleFolder?: string;
  /** Sends mails when `config.mail` names a server; SMTP when absent. The service closes the mailer when it stops. */
  readonly mailer?: Mailer;
}
