import { MongoClient } from 'mongodb';
import type { Db, Document as MongoDocument, MongoClientOptions } from 'mongodb';
import type { Log } from '../logging/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { MongoCalls } from './calls.ts';
import { MONGO_STORE_LIMITS } from './limits.ts';
import type { MongoStoreLimits } from './limits.ts';
import { portError } from './mongo-errors.ts';
import { OfficialDriverStore } from './mongo-document-store.ts';
import type { MongoDocumentStore } from './mongo-document-store.ts';
import { Reachability } from './reachability.ts';

const DEFAULT_DATABASE = 'sentinel';
/** The path of a connection string, after any number of hosts. */
const DATABASE = /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/;

export interface MongoDocumentStoreOptions {
  /** A connection string (`mongodb://…`, `mongodb+srv://…`) of a replica set or a sharded cluster. */
  readonly url: string;
  /** Default: that of the connection string, otherwise `sentinel`. */
  readonly database?: string;
  readonly log: Log;
  readonly metrics?: Metrics;
  readonly limits?: Partial<MongoStoreLimits>;
}

/** Connects. @throws NotDurableError when no server that takes writes answers in time */
export async function openMongoDocumentStore(
  options: MongoDocumentStoreOptions,
): Promise<MongoDocumentStore> {
  const { url, log, metrics } = options;
  const limits = { ...MONGO_STORE_LIMITS, ...options.limits };
  const database = options.database ?? databaseOf(url);
  const client = new MongoClient(url, clientOptions(limits));
  const reachability = new Reachability(client, log);
  try {
    await client.connect();
    warnOfOneCopy(await client.db(database).command({ hello: 1 }), log);
  } catch (error) {
    await client.close();
    throw portError(error, database);
  }
  return new OfficialDriverStore({
    client,
    db: client.db(database),
    calls: new MongoCalls(limits, metrics),
    reachable: () => reachability.now,
    readMs: limits.serverMs,
    withPatience: (work) => withPatience(url, database, limits, work),
  });
}

/** A majority of one server is that server. */
function warnOfOneCopy(hello: MongoDocument, log: Log): void {
  const isMember = hello['setName'] !== undefined || hello['msg'] === 'isdbgrid';
  if (!isMember) log.warn('the document store is a server without a replica set: it keeps one copy');
}

/** What the connection string names, otherwise `sentinel`. */
export function databaseOf(url: string): string {
  const [, name] = DATABASE.exec(url) ?? [];
  return name === undefined ? DEFAULT_DATABASE : decodeURIComponent(name);
}

async function withPatience(
  url: string,
  database: string,
  limits: MongoStoreLimits,
  work: (db: Db) => Promise<void>,
): Promise<void> {
  const answerMs = limits.indexBuildMs;
  const client = new MongoClient(
    url,
    clientOptions({ ...limits, answerMs, serverMs: answerMs, connections: 1 }),
  );
  try {
    await work(client.db(database));
  } finally {
    await client.close();
  }
}

/** These win over what the connection string says: they are what the port promises. */
function clientOptions(limits: MongoStoreLimits): MongoClientOptions {
  return {
    appName: 'sentinel-node',
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: limits.serverMs },
    readPreference: 'primary',
    // What a majority has is never rolled back, and a write that resolved is among it.
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
