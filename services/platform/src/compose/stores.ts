import { existsSync, rmSync } from 'node:fs';
import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/config.ts';
import { openDataFolder, type DataFolder } from '../embedded/data-folder.ts';
import { openEmbeddedDocumentStore } from '../embedded/store/embedded-document-store.ts';
import { openEmbeddedEventLog } from '../embedded/log/embedded-event-log.ts';
import type { Log } from '../logging/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { DocumentStore } from '../ports/document-store.ts';
import type { EventLog } from '../ports/event-log.ts';
import { loadMasterSecret } from '../secrets/master-secret.ts';
import { PLATFORM_POOLS } from '../pools.ts';
import { closeAll } from '../process/close-all.ts';
import { confirmFormIn, confirmFormOf } from '../stores/data-form.ts';
import { CLUSTER_TOPICS, EMBEDDED_TOPICS } from '../topology.ts';

/** The stores of a process, and their master secret. */
export interface Stores {
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  readonly masterSecret: string;
  /** Folder of the embedded store; undefined when the data is in Kafka and MongoDB. */
  readonly dataFolder: { readonly path: string; readonly isFresh: boolean } | undefined;
  /**
   * Opens an empty document store beside the live one, for documents that are built only to be compared. Closing the
   * scratch store removes it; close it before calling `close`.
   */
  openScratch(): Promise<DocumentStore>;
  /**
   * Yields what the embedded store finds documents by and differs from the documents; undefined with MongoDB, which keeps no
   * copies of fields beside its documents that could be changed alone.
   */
  readonly indexFaults: (() => AsyncIterable<string>) | undefined;
  /**
   * Returns the names of the stores that cannot be reached now, or have no room for what was written last, and of the consumer
   * groups that this process is not in, or gets no records for, and of topics that lost their end.
   */
  notReady(): readonly string[];
  close(): Promise<void>;
}

export interface StoresOptions {
  /** See `KafkaEventLogOptions`; no effect on the embedded store, which always has its own threads. */
  readonly kafkaThread?: boolean;
  /** Client id of this process at the brokers, so that the brokers can set a quota for it. */
  readonly kafkaClientId?: string;
}

/**
 * Opens the stores that the configuration names.
 * @throws ConfigError; TopicMissingError, LogUnavailableError; DataFolderInUseError, DataFolderUnusableError,
 * PartitionCountChangedError, NotDurableError, DataFormUnknownError
 */
export function openStores(
  config: Config,
  log: Log,
  metrics: Metrics,
  options: StoresOptions = {},
): Promise<Stores> {
  return config.store.kind === 'cluster'
    ? openClusterStores(config, config.store, { log, metrics, ...options })
    : openEmbeddedStores(config, metrics);
}

type Cluster = Extract<Config['store'], { readonly kind: 'cluster' }>;

async function openClusterStores(
  config: Config,
  at: Cluster,
  {
    kafkaClientId,
    kafkaThread = false,
    log,
    metrics,
  }: StoresOptions & { readonly log: Log; readonly metrics: Metrics },
): Promise<Stores> {
  const masterSecret = config.secret;
  if (masterSecret === undefined) {
    const message = 'is needed with Kafka and MongoDB: every process must have the same one';
    throw new ConfigError([{ variable: 'SENTINEL_SECRET', message }]);
  }
  // The drivers are loaded only when needed: they are a large part of a small process.
  const [{ openMongoDocumentStore, openMongoScratchStore }, { openKafkaEventLog }] = await Promise.all([
    import('../mongodb/index.ts'),
    import('../kafka/index.ts'),
  ]);
  const openScratch = () => openMongoScratchStore({ url: at.mongodbUrl, log });
  const store = await openMongoDocumentStore({ url: at.mongodbUrl, log, metrics });
  try {
    await confirmFormOf(store);
    const eventLog = await openKafkaEventLog({
      ...at.kafka,
      ...(kafkaClientId !== undefined && { clientId: kafkaClientId }),
      topics: CLUSTER_TOPICS,
      log,
      metrics,
      ownThread: kafkaThread,
    });
    metrics.pool(PLATFORM_POOLS['kafka-appends'], () => eventLog.unflushedBytes());
    const notReady = () => [
      ...(eventLog.reachable() ? [] : ['Kafka']),
      ...(store.reachable() ? (store.takesWrites() ? [] : ['writes to MongoDB']) : ['MongoDB']),
      ...eventLog.absentGroups().map((group) => `consumer group ${group}`),
      ...eventLog.unfetchedGroups().map((group) => `records for consumer group ${group}`),
      ...eventLog.shortenedTopics().map((topic) => `the end of ${topic}`),
    ];
    const close = (): Promise<void> => closeAll([() => eventLog.close(), () => store.close()]);
    return {
      ...{ eventLog, store, masterSecret, dataFolder: undefined, openScratch, notReady, close },
      indexFaults: undefined,
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openEmbeddedStores(config: Config, metrics: Metrics): Promise<Stores> {
  const folder = openDataFolder(config.dataDir);
  const opened: (() => Promise<void> | void)[] = [() => folder.release()];
  const close = (): Promise<void> => closeAll(opened.splice(0).reverse());
  try {
    await confirmFormIn(folder.path);
    const isFresh = !existsSync(folder.file('log.db'));
    const masterSecret = await loadMasterSecret(config.secret, folder.path, isFresh);
    const maxBytes = config.logMaxBytes === undefined ? {} : { maxBytes: config.logMaxBytes };
    const eventLog = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS, ...maxBytes });
    opened.push(() => eventLog.close());
    const store = await openEmbeddedDocumentStore({ folder });
    opened.push(() => store.close());
    metrics.pool(PLATFORM_POOLS['embedded-appends'], () => eventLog.unflushedBytes());
    metrics.pool(PLATFORM_POOLS['embedded-calls'], () => store.pendingCalls());
    const dataFolder = { path: folder.path, isFresh };
    const openScratch = () => openScratchFile(folder);
    const notReady = () => [
      ...(eventLog.isFull() ? ['disk space of the event log'] : []),
      ...(store.isFull() ? ['disk space of the document store'] : []),
    ];
    const indexFaults = () => store.indexFaults();
    return { eventLog, store, masterSecret, dataFolder, openScratch, indexFaults, notReady, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const SCRATCH_FILE = 'scratch.db';

/** Opens a scratch file after removing the scratch file of an earlier process. */
async function openScratchFile(folder: DataFolder): Promise<DocumentStore> {
  removeScratch(folder);
  const store = await openEmbeddedDocumentStore({ folder, file: SCRATCH_FILE });
  const end = store.close.bind(store);
  store.close = () => end().finally(() => removeScratch(folder));
  return store;
}

function removeScratch(folder: DataFolder): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(folder.file(`${SCRATCH_FILE}${suffix}`), { force: true });
}
