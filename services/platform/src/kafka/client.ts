import kafkajs from 'kafkajs';
import type { Kafka, KafkaConfig, LogEntry } from 'kafkajs';
import { silentLog } from '../logging/log.ts';
import type { Log } from '../logging/log.ts';
import { tlsOptions } from './client-files.ts';
import { replaceDecoder } from './fetched-messages.ts';
import { saslOptions } from './oauth.ts';
import { KAFKA_LIMITS } from './options.ts';
import type { KafkaConnection, KafkaLimits } from './options.ts';
import { socketFactory } from './sockets.ts';

const CLIENT_ID = 'sentinel-node';
/** kafkajs tries again by itself only to reach a broker; everything else is tried again by this adapter. */
const CONNECT_RETRY = { retries: 2, initialRetryTime: 100, maxRetryTime: 1_000 };

replaceDecoder();

export interface ClientContext {
  readonly connection: KafkaConnection;
  readonly limits: KafkaLimits;
  readonly log: Log;
}

/** @throws ConfigError, Error of node:fs when the files of the connection cannot be used */
export function clientContext(
  options: KafkaConnection & { readonly log?: Log; readonly limits?: Partial<KafkaLimits> },
): ClientContext {
  const { brokers, clientId, limits, log = silentLog(), sasl, tls } = options;
  if (tls !== undefined) tlsOptions(tls);
  const connection = {
    brokers,
    ...(clientId !== undefined && { clientId }),
    ...(tls !== undefined && { tls }),
    ...(sasl !== undefined && { sasl }),
  };
  return { connection, limits: { ...KAFKA_LIMITS, ...limits }, log };
}

/** Under which name the brokers know this client; quotas are set for it. */
export function clientIdOf({ connection }: ClientContext): string {
  return connection.clientId ?? CLIENT_ID;
}

/** What kafkajs's own parts are made from; the reader makes its cluster from the same. */
export function clientConfig(context: ClientContext): KafkaConfig {
  const { connection, limits, log } = context;
  const { brokers, tls, sasl } = connection;
  return {
    brokers: [...brokers],
    clientId: clientIdOf(context),
    socketFactory: socketFactory(),
    connectionTimeout: limits.connectionTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    retry: CONNECT_RETRY,
    logLevel: kafkajs.logLevel.ERROR,
    logCreator: () => (entry) => forward(log, entry),
    ...(tls !== undefined && { ssl: tlsOptions(tls) }),
    ...(sasl !== undefined && { sasl: saslOptions(sasl) }),
  };
}

/** Committed offsets are shared between the consumers of one client: each consumer needs a client of its own. */
export function createClient(context: ClientContext): Kafka {
  return new kafkajs.Kafka(clientConfig(context));
}

/** kafkajs calls errors what it then tries again; what counts is told by this adapter itself. */
function forward(log: Log, { namespace, log: { message } }: LogEntry): void {
  log.debug({ kafka: namespace }, message);
}
