import kafkajs from 'kafkajs';
import type { Kafka, KafkaConfig, LogEntry } from 'kafkajs';
import type { ConnectionOptions } from 'node:tls';
import { tlsOptions } from '../egress/client-files.ts';
import { silentLog } from '../logging/log.ts';
import type { Log } from '../logging/log.ts';
import { acceptForeignErrors } from './all-topics.ts';
import { replaceDecoder } from './fetched-messages.ts';
import { observeFetches } from './observe-fetches.ts';
import { saslOptions } from './oauth.ts';
import { KAFKA_LIMITS } from './options.ts';
import type { KafkaConnection, KafkaLimits, KafkaTls } from './options.ts';
import { planOnlyForWaitingRequests } from './queued-requests.ts';
import { socketFactory } from './sockets.ts';

const CLIENT_ID = 'sentinel-node';
/** kafkajs retries only to reach a broker; this adapter itself retries everything else. */
const CONNECT_RETRY = { retries: 2, initialRetryTime: 100, maxRetryTime: 1_000 };

replaceDecoder();
acceptForeignErrors();
observeFetches();
planOnlyForWaitingRequests();

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
  if (tls !== undefined) sslOptions(tls);
  const connection = {
    brokers,
    ...(clientId !== undefined && { clientId }),
    ...(tls !== undefined && { tls }),
    ...(sasl !== undefined && { sasl }),
  };
  return { connection, limits: { ...KAFKA_LIMITS, ...limits }, log };
}

/** Returns the name under which the brokers know this client; quotas refer to it. */
export function clientIdOf({ connection }: ClientContext): string {
  return connection.clientId ?? CLIENT_ID;
}

/** Returns the settings of kafkajs's parts; the reader builds its cluster from the same settings. */
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
    ...(tls !== undefined && { ssl: sslOptions(tls) }),
    ...(sasl !== undefined && { sasl: saslOptions(sasl) }),
  };
}

/** Creates a client for one consumer: consumers of the same client would share their committed offsets. */
export function createClient(context: ClientContext): Kafka {
  return new kafkajs.Kafka(clientConfig(context));
}

/**
 * Logs kafkajs's messages as debug: kafkajs reports errors that it then retries; this adapter logs those that matter.
 */
function forward(log: Log, { namespace, log: { message } }: LogEntry): void {
  log.debug({ kafka: namespace }, message);
}

function sslOptions(tls: boolean | KafkaTls): boolean | ConnectionOptions {
  return typeof tls === 'boolean' ? tls : tlsOptions(tls, 'SENTINEL_KAFKA_TLS');
}
