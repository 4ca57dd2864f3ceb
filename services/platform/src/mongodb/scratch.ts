import { randomBytes } from 'node:crypto';
import type { DocumentStore } from '../ports/document-store.ts';
import { MONGO_STORE_LIMITS } from './limits.ts';
import { clientOf, databaseOf, openMongoDocumentStore } from './open.ts';
import type { MongoDocumentStoreOptions } from './open.ts';
import { portError } from './mongo-errors.ts';

/** Bytes of the random part, so that each of two simultaneous audits has its own database. */
const RANDOM_BYTES = 6;
/** MongoDB accepts names of fewer than 64 bytes. */
const DATABASE_NAME_BYTES = 63;
const SCRATCH = '_scratch_';

/**
 * Opens an empty store in its own database on the same server, named after the live one; `close` drops the database.
 * @throws NotDurableError when no server that accepts writes answers in time
 */
export async function openMongoScratchStore(options: MongoDocumentStoreOptions): Promise<DocumentStore> {
  const suffix = `${SCRATCH}${randomBytes(RANDOM_BYTES).toString('hex')}`;
  const live = options.database ?? databaseOf(options.url);
  const database = `${live.slice(0, DATABASE_NAME_BYTES - suffix.length)}${suffix}`;
  const store = await openMongoDocumentStore({ ...options, database });
  const end = store.close.bind(store);
  let closing: Promise<void> | undefined;
  const endAndDrop = async () => {
    try {
      await end();
    } finally {
      await dropScratch(options, database);
    }
  };
  store.close = () => (closing ??= endAndDrop());
  return store;
}

async function dropScratch(options: MongoDocumentStoreOptions, database: string): Promise<void> {
  const client = clientOf(options.url, MONGO_STORE_LIMITS, options.onCommand);
  try {
    await client.db(database).dropDatabase();
  } catch (error) {
    throw portError(error, database, true);
  } finally {
    await client.close();
  }
}
