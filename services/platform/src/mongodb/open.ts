import { MongoClient } from 'mongodb';
import type { CommandStartedEvent, MongoClientOptions } from 'mongodb';
import type { Log } from '../logging/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { MongoCalls } from './calls.ts';
import { MONGO_STORE_LIMITS } from './limits.ts';
import type { MongoStoreLimits } from './limits.ts';
import { isSignInRefused, portError, StoreSignInRefusedError } from './mongo-errors.ts';
import { OfficialDriverStore } from './mongo-document-store.ts';
import type { MongoDocumentStore } from './mongo-parts.ts';
import { Reachability } from './reachability.ts';
import { RefusedWrites } from './refused-writes.ts';
import { probeWrite } from './probe-write.ts';
import { topologyOf } from './topology.ts';
import type { Topology } from './topology.ts';

const DEFAULT_DATABASE = 'sentinel';
/** Matches the path of a connection string, after any number of hosts. */
const DATABASE = /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/;

export interface MongoDocumentStoreOptions {
  /** A connection string (`mongodb://…`, `mongodb+srv://…`) of a replica set or a sharded cluster. */
  readonly url: string;
  /** Default: the connection string's database, else `sentinel`. */
  readonly database?: string;
  readonly log: Log;
  readonly metrics?: Metrics;
  readonly limits?: Partial<MongoStoreLimits>;
  /** Called with every command that is sent, with its options; for tests and checks of a cluster. */
  readonly onCommand?: (event: CommandStartedEvent) => void;
}

/** Connects. @throws NotDurableError when no writable server answers in time, StoreSignInRefusedError */
export async function openMongoDocumentStore(
  options: MongoDocumentStoreOptions,
): Promise<MongoDocumentStore> {
  const { url, log, metrics } = options;
  const limits = { ...MONGO_STORE_LIMITS, ...options.limits };
  const database = options.database ?? databaseOf(url);
  const connect = (wanted: MongoStoreLimits) => clientOf(url, wanted, options.onCommand);
  const client = connect(limits);
  const batches = connect({ ...limits, connections: limits.batchConnections });
  const reachability = new Reachability(client, log);
  let topology: Topology;
  try {
    // The driver does not reconnect a client whose first connection failed: every client connects here.
    await Promise.all([client.connect(), batches.connect()]);
    topology = topologyOf(await client.db(database).command({ hello: 1 }));
  } catch (error) {
    const authSource = client.options.credentials?.source;
    await Promise.all([client.close(), batches.close()]);
    throw signInFailure(error, authSource) ?? portError(error, database, false);
  }
  // On a single server, a majority is that server.
  if (topology === 'standalone')
    log.warn('the document store is a server without a replica set: it keeps one copy');
  const db = client.db(database);
  const writes = new RefusedWrites(() => probeWrite(db), limits, log);
  const ofClient = (other: MongoClient) => ({ db: other.db(database), close: () => other.close() });
  return new OfficialDriverStore({
    client,
    db,
    batches: ofClient(batches),
    topology,
    log,
    calls: new MongoCalls(limits, writes, metrics),
    pendingBytes: limits.pendingBytes,
    writes,
    reachable: () => reachability.now,
    readMs: limits.serverMs,
    openPatient: () => {
      const { indexBuildMs } = limits;
      return ofClient(connect({ ...limits, answerMs: indexBuildMs, serverMs: indexBuildMs, connections: 1 }));
    },
  });
}

/** Creates a client that is not connected yet. */
export function clientOf(
  url: string,
  limits: MongoStoreLimits,
  onCommand: MongoDocumentStoreOptions['onCommand'],
): MongoClient {
  const client = new MongoClient(url, { ...clientOptions(limits), monitorCommands: onCommand !== undefined });
  if (onCommand !== undefined) client.on('commandStarted', onCommand);
  return client;
}

/** @returns undefined for any other failure */
function signInFailure(error: unknown, authSource = 'admin'): StoreSignInRefusedError | undefined {
  return isSignInRefused(error) ? new StoreSignInRefusedError(authSource) : undefined;
}

/** Returns the connection string's database, else `sentinel`. */
export function databaseOf(url: string): string {
  const [, name] = DATABASE.exec(url) ?? [];
  return name === undefined ? DEFAULT_DATABASE : decodeURIComponent(name);
}

/**
 * Returns the options that the port's guarantees need. Options of the connection string override some of them
 * (`journal`, `readConcernLevel`, …): the configuration refuses a string with such options (`config/mongo-url.ts`).
 */
function clientOptions(limits: MongoStoreLimits): MongoClientOptions {
  return {
    appName: 'sentinel-node',
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: limits.serverMs },
    readPreference: 'primary',
    // Data that a majority has stored is never rolled back, and includes every resolved write (but see decision 012).
    readConcern: { level: 'majority' },
    retryWrites: true,
    retryReads: true,
    ignoreUndefined: true,
    maxPoolSize: limits.connections,
    connectTimeoutMS: limits.connectMs,
    heartbeatFrequencyMS: limits.heartbeatMs,
    serverSelectionTimeoutMS: limits.serverSelectionMs,
    waitQueueTimeoutMS: limits.connectionWaitMs,
    socketTimeoutMS: limits.answerMs,
  };
}
