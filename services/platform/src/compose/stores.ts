import { existsSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { openDataFolder } from '../embedded/data-folder.ts';
import { openEmbeddedDocumentStore } from '../embedded/store/embedded-document-store.ts';
import { openEmbeddedEventLog } from '../embedded/log/embedded-event-log.ts';
import type { DocumentStore } from '../ports/document-store.ts';
import type { EventLog } from '../ports/event-log.ts';
import { loadMasterSecret } from '../secrets/master-secret.ts';
import { EMBEDDED_TOPICS } from '../topology.ts';

/** What the services of a process stand on, and the master secret that belongs to it. */
export interface Stores {
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  readonly masterSecret: string;
  /** Folder of the embedded store; undefined when the data is elsewhere. */
  readonly dataFolder: { readonly path: string; readonly isFresh: boolean } | undefined;
  /** Names of what cannot be reached now. */
  notReady(): readonly string[];
  close(): Promise<void>;
}

/**
 * Opens the stores that the configuration names.
 * @throws DataFolderInUseError, DataFolderUnusableError, PartitionCountChangedError, NotDurableError
 */
export function openStores(config: Config): Promise<Stores> {
  return openEmbeddedStores(config);
}

async function openEmbeddedStores(config: Config): Promise<Stores> {
  const folder = openDataFolder(config.dataDir);
  const opened: (() => Promise<void> | void)[] = [() => folder.release()];
  const close = async (): Promise<void> => {
    for (const one of opened.splice(0).reverse()) await one();
  };
  try {
    const isFresh = !existsSync(folder.file('log.db'));
    const masterSecret = await loadMasterSecret(config.secret, folder.path);
    const maxBytes = config.logMaxBytes === undefined ? {} : { maxBytes: config.logMaxBytes };
    const eventLog = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS, ...maxBytes });
    opened.push(() => eventLog.close());
    const store = await openEmbeddedDocumentStore({ folder });
    opened.push(() => store.close());
    const dataFolder = { path: folder.path, isFresh };
    return { eventLog, store, masterSecret, dataFolder, notReady: () => [], close };
  } catch (error) {
    await close();
    throw error;
  }
}
