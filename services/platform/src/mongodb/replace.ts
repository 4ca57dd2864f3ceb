import type { Db, Document as MongoDocument } from 'mongodb';
import { MongoServerError } from 'mongodb';
import { ConflictError } from '../ports/errors.ts';
import { NAMESPACE_NOT_FOUND } from './mongo-errors.ts';

/**
 * Shards `replacement`, which is empty, by the key that `collection` is sharded by; nothing where it is not, or where
 * there are no shards. Only collections that are sharded alike can take each other's place.
 */
export async function shardLike(db: Db, collection: string, replacement: string): Promise<void> {
  const hello = await db.command({ hello: 1 });
  if (hello['msg'] !== 'isdbgrid') return;
  const { client, databaseName } = db;
  const known = await client
    .db('config')
    .collection<MongoDocument & { _id: string }>('collections')
    .findOne({ _id: `${databaseName}.${collection}` });
  const key = known?.['key'] as MongoDocument | undefined;
  if (key === undefined || known?.['unsplittable'] === true) return;
  const unique = known?.['unique'] === true;
  await client.db('admin').command({ shardCollection: `${databaseName}.${replacement}`, key, unique });
}

/** One step for whoever reads or writes meanwhile. @throws ConflictError when the replacement is gone */
export async function replaceCollection(db: Db, collection: string, replacement: string): Promise<void> {
  try {
    await db.renameCollection(replacement, collection, { dropTarget: true });
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
  return found.map(({ name }) => name).filter((name) => !name.startsWith('system.'));
}
