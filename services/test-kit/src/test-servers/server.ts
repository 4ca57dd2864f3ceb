/** A server that a test can use, disturb and restart. Its addresses never change. */
export interface LaunchedServer {
  /** `host:port` for Kafka, a connection string for MongoDB. */
  readonly address: string;
  /** Address of the same server through the proxy at `LaunchOptions.proxyPort`; undefined without a proxy. */
  readonly proxied: string | undefined;
  /** Port of 127.0.0.1 that the proxy passes bytes to. */
  readonly proxyTarget: number;
  /** Ends the process at once, as a crash of the machine would (SIGKILL); its data stay. */
  kill(): Promise<void>;
  /** Stops the process in order; its data stay. */
  halt(): Promise<void>;
  /** Starts the server again on the same data after `kill` or `halt`. Resolves when the server answers. */
  restart(): Promise<void>;
  /** Ends the process and removes its data. */
  stop(): Promise<void>;
  /** The members of a cluster, in the order of their numbers. */
  readonly nodes?: readonly LaunchedNode[];
}

/** One member of a cluster. */
export interface LaunchedNode extends Pick<LaunchedServer, 'kill' | 'halt' | 'restart'> {
  /** Freezes the process; its connections stay open (SIGSTOP). */
  freeze(): Promise<void>;
  /** Continues the process (SIGCONT). */
  thaw(): Promise<void>;
}

export type ServerKind = 'kafka' | 'kafka-cluster' | 'mongo';

/** Listener of a broker, in addition to the usual ones. */
export interface KafkaListener {
  readonly protocol: 'SSL' | 'SASL_PLAINTEXT' | 'SASL_SSL';
  /** Port of 127.0.0.1. */
  readonly port: number;
}

/** Differences of one broker from the usual one; only the local tool chain supports them. */
export interface KafkaSettings {
  /** Listeners by name, in upper case. */
  readonly listeners: Readonly<Record<string, KafkaListener>>;
  /** Lines of `server.properties`. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface LaunchOptions {
  /**
   * Port of 127.0.0.1 at which a proxy listens; the server gives its clients this port as its own address.
   */
  readonly proxyPort?: number;
  readonly kafka?: KafkaSettings;
}

/** The server cannot run here; the message lists the attempts. */
export class TestServerUnavailableError extends Error {
  readonly code = 'TEST_SERVER_UNAVAILABLE';
}
