/** The cluster that a person named, as the product's own configuration understands it. */
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
/** Scheme, servers; database; options. */
const URL_PARTS = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;
const COPIES = 3;
const ID_BYTES = 4;

/** @throws ConfigError which names what is wrong with the variables */
export function given(env: NodeJS.ProcessEnv = process.env): Given {
  const { store } = readConfig(productSettings(env), ['ingestion']);
  if (store.kind !== 'cluster') throw new Error('no cluster is given');
  return { kafka: store.kafka, mongodbUrl: store.mongodbUrl };
}

/** The variables of the product that reach the cluster, for services and commands too. */
export function productSettings(env: NodeJS.ProcessEnv): Record<string, string> {
  const own = Object.entries(env).filter(([name]) => /^SENTINEL_KAFKA_|^NODE_EXTRA_CA_CERTS$/.test(name));
  return {
    ...(Object.fromEntries(own) as Record<string, string>),
    SENTINEL_SECRET: 'a master secret that only this trial uses',
    SENTINEL_KAFKA_BROKERS: env['SENTINEL_TEST_KAFKA_BROKERS'] ?? '',
    SENTINEL_MONGODB_URL: env['SENTINEL_TEST_MONGODB_URL'] ?? '',
  };
}

/** The same servers with another database; who signs in is looked up where the URL as given looks. */
export function withDatabase(url: string, database: string): string {
  const [, servers = '', path = '', options = ''] = URL_PARTS.exec(url) ?? [];
  const signsIn = servers.includes('@') && !/(^|&)authSource=/i.test(options);
  const all = [...(options === '' ? [] : [options]), ...(signsIn ? [`authSource=${path || 'admin'}`] : [])];
  return `${servers}/${database}${all.length === 0 ? '' : `?${all.join('&')}`}`;
}

/** Name of a database that nobody has; the clean-up finds it by the prefix. */
export function newDatabase(): string {
  return tryPrefix() + randomBytes(ID_BYTES).toString('hex');
}

/** A cluster of the product's services on what was given, with names of its own. */
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
