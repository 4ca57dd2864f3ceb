import type { Config } from '../config/config.ts';
import { openReadOnly, type DocumentReader } from '../embedded/store/read-beside.ts';
import type { Log } from '../logging/log.ts';
import type { CollectionSpec } from '../ports/document-store.ts';
import { newestOf } from '../ports/newest-of.ts';
import { DEPLOYMENT_COLLECTION } from '../secrets/log-key.ts';
import { confirmForm } from '../stores/data-form.ts';

/**
 * Opens the configured documents for single reads. The services may keep running, on the embedded store too.
 * @throws NoDocumentsError, DataFormUnknownError; errors of MongoDB
 */
export async function openDocumentReader(
  config: Config,
  log: Log,
  collections: readonly CollectionSpec[],
): Promise<DocumentReader> {
  const documents = await openAt(config, log, [...collections, DEPLOYMENT_COLLECTION]);
  try {
    await confirmForm(documents);
    return documents;
  } catch (error) {
    await documents.close();
    throw error;
  }
}

async function openAt(
  config: Config,
  log: Log,
  collections: readonly CollectionSpec[],
): Promise<DocumentReader> {
  if (config.store.kind !== 'cluster') return openReadOnly(config.dataDir);
  const { openMongoDocumentStore } = await import('../mongodb/index.ts');
  const store = await openMongoDocumentStore({ url: config.store.mongodbUrl, log });
  try {
    await store.ensure(collections);
  } catch (error) {
    await store.close();
    throw error;
  }
  return {
    get: (collection, id) => store.get(collection, id),
    newest: (collection) => newestOf(store, collection),
    close: () => store.close(),
  };
}
