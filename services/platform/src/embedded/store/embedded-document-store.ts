import { endProcess, WorkerChannel } from '../worker-channel.ts';
import type { StoreChannel } from './call-queue.ts';
import { DOCUMENT_STORE_LIMITS } from './document-store-options.ts';
import type { EmbeddedDocumentStore, EmbeddedDocumentStoreOptions } from './document-store-options.ts';
import { SqliteDocumentStore } from './sqlite-document-store.ts';
import type { StoreThreadOptions } from './store-protocol.ts';

const WORKER = new URL('./store-worker.js', import.meta.url);

/** Opens the documents of a data folder, or creates them. */
export async function openEmbeddedDocumentStore(
  options: EmbeddedDocumentStoreOptions,
): Promise<EmbeddedDocumentStore> {
  const limits = { ...DOCUMENT_STORE_LIMITS, ...options.limits };
  const file = options.folder.file(options.file ?? 'documents.db');
  const onFatal = options.onFatal ?? endProcess;
  let opening = true;
  const start = (cacheBytes: number): StoreChannel => {
    const { writeAheadBytes: checkpointBytes, waitingEntries } = limits;
    const thread: StoreThreadOptions = { file, cacheBytes, checkpointBytes, waitingEntries };
    return new WorkerChannel(WORKER, thread, (error) => (opening ? undefined : onFatal(error)));
  };
  const writer = start(limits.writeCacheBytes);
  try {
    const opened = await writer.call({ op: 'open', maxBytes: options.maxBytes ?? 0 });
    opening = false;
    return new SqliteDocumentStore(opened.layouts!, writer, () => start(limits.readCacheBytes), limits);
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}
