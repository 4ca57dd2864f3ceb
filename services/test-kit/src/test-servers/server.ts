/** A server that a test can use, hurt and bring back. Addresses stay the same for its whole life. */
export interface LaunchedServer {
  /** `host:port` for Kafka, a connection string for MongoDB. */
  readonly address: string;
  /** The same server through the proxy at `LaunchOptions.proxyPort`; undefined without one. */
  readonly proxied: string | undefined;
  /** Port of 127.0.0.1 that the proxy passes bytes to. */
  readonly proxyTarget: number;
  /** Ends the process at once, as a crash of the machine would (SIGKILL); its data stay. */
  kill(): Promise<void>;
  /** Ends it in order; its data stay. */
  halt(): Promise<void>;
  /** Starts it again on the same data after `kill` or `halt`. Resolves when it answers. */
  restart(): Promise<void>;
  /** Ends it for good and removes its data. */
  stop(): Promise<void>;
  /** The members of a cluster, in the order of their numbers. */
  readonly nodes?: readonly LaunchedNode[];
}

/** One member of a cluster. */
export interface LaunchedNode extends Pick<LaunchedServer, 'kill' | 'halt' | 'restart'> {
  /** It stands still; its connections stay open (SIGSTOP). */
  freeze(): Promise<void>;
  /** It goes on (SIGCONT). */
  thaw(): Promise<void>;
}

export type ServerKind = 'kafka' | 'kafka-cluster' | 'mongo';

/** A listener of a broker beside those that every test has. */
export interface KafkaListener {
  readonly protocol: 'SSL' | 'SASL_PLAINTEXT' | 'SASL_SSL';
  /** Of 127.0.0.1. */
  readonly port: number;
}

/** How one broker differs from the usual one; the local tool chain alone can do it. */
export interface KafkaWishes {
  /** By name, upper case. */
  readonly listeners: Readonly<Record<string, KafkaListener>>;
  /** Lines of `server.properties`. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface LaunchOptions {
  /** Port of 127.0.0.1 at which a proxy stands; what comes over it is told to stay on it. */
  readonly proxyPort?: number;
  readonly kafka?: KafkaWishes;
}

/** No way to run the server here; the message says what was tried. */
export class TestServerUnavailableError extends Error {
  readonly code = 'TEST_SERVER_UNAVAILABLE';
}
