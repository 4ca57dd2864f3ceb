import type { Db } from 'mongodb';
import { MongoServerError } from 'mongodb';
import { ConflictError } from '../ports/errors.ts';
import { NAMESPACE_NOT_FOUND } from './mongo-errors.ts';
import { PROBE_COLLECTION } from './probe-write.ts';

/**
 * Replaces the collection in one step for all readers and writers. @throws ConflictError when the replacement is gone
 */
export async function replaceCollection(db: Db, collection: string, replacement: string): Promise<void> {
  try {
    // The driver's own `renameCollection` sends no write concern, so a new primary could restore the old collection.
    await db.admin().command({
      renameCollection: `${db.databaseName}.${replacement}`,
      to: `${db.databaseName}.${collection}`,
      dropTarget: true,
      writeConcern: { w: 'majority', j: true },
    });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== NAMESPACE_NOT_FOUND) throw error;
    throw new ConflictError(`${collection}: its replacement is gone`);
  }
}

export async function dropCollection(db: Db, collection: string): Promise<void> {
  try {
    await db.dropCollection(collection);
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== NAMESPACE_NOT_FOUND) throw error;
  }
}

export async function collectionNames(db: Db): Promise<string[]> {
  const found = await db.listCollections({}, { nameOnly: true }).toArray();
  return found
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('system.') && name !== PROBE_COLLECTION);
}
