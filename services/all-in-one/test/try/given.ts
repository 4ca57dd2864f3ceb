/** Reads the cluster to test from the environment with the product's own configuration. */
import { fileURLToPath } from 'node:url';
import { randomBytes } from 'node:crypto';
import { readConfig } from '@sentinel-node/platform';
import type { KafkaConnection } from '@sentinel-node/platform/kafka';
import type { ClusterOptions, GivenServers } from '../support/cluster.ts';
import { tryPrefix } from './prefix.ts';

export interface Given {
  readonly kafka: KafkaConnection;
  readonly mongodbUrl: string;
}

const PRELOAD = fileURLToPath(new URL('./preload-prefix.js', import.meta.url));
/** Groups: scheme with servers, database, options. */
const URL_PARTS = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;
const COPIES = 3;
const ID_BYTES = 4;

/** Returns the given cluster. @throws ConfigError which names the wrong variable */
export function given(env: NodeJS.ProcessEnv = process.env): Given {
  const { store } = readConfig(productSettings(env), ['ingestion']);
  if (store.kind !== 'cluster') throw new Error('no cluster is given');
  return { kafka: store.kafka, mongodbUrl: store.mongodbUrl };
}

/** Returns the product's variables for the cluster, for services and commands too. */
export function productSettings(env: NodeJS.ProcessEnv): Record<string, string> {
  const own = Object.entries(env).filter(([name]) => /^SENTINEL_KAFKA_|^NODE_EXTRA_CA_CERTS$/.test(name));
  return {
    ...(Object.fromEntries(own) as Record<string, string>),
    SENTINEL_SECRET: 'a master secret that only this trial uses',
    SENTINEL_KAFKA_BROKERS: env['SENTINEL_TEST_KAFKA_BROKERS'] ?? '',
    SENTINEL_MONGODB_URL: env['SENTINEL_TEST_MONGODB_URL'] ?? '',
  };
}

/**
 * Returns the URL with another database; the account stays in the database where the given URL looks for it.
 */
export function withDatabase(url: string, database: string): string {
  const [, servers = '', path = '', options = ''] = URL_PARTS.exec(url) ?? [];
  const signsIn = servers.includes('@') && !/(^|&)authSource=/i.test(options);
  const all = [...(options === '' ? [] : [options]), ...(signsIn ? [`authSource=${path || 'admin'}`] : [])];
  return `${servers}/${database}${all.length === 0 ? '' : `?${all.join('&')}`}`;
}

/** Returns an unused database name with the prefix, by which the clean-up finds the database. */
export function newDatabase(): string {
  return tryPrefix() + randomBytes(ID_BYTES).toString('hex');
}

/** Returns servers and options for the product's services on the given cluster, with names of this run. */
export function servicesOnGiven(brokers: number): {
  readonly servers: GivenServers;
  readonly options: ClusterOptions;
} {
  const { mongodbUrl } = given();
  const settings = productSettings(process.env);
  const servers = {
    kafka: { brokers: settings['SENTINEL_KAFKA_BROKERS']! },
    mongo: { url: withDatabase(mongodbUrl, newDatabase()) },
  };
  const env = {
    ...settings,
    SENTINEL_MONGODB_URL: servers.mongo.url,
    SENTINEL_TEST_PREFIX: `${newDatabase()}-`,
    NODE_OPTIONS: `--import=${PRELOAD}`,
  };
  return { servers, options: { env, replicationFactor: Math.min(COPIES, brokers) } };
}
