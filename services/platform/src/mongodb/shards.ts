import type { Db, Document as MongoDocument } from 'mongodb';
import type { CollectionSpec } from '../ports/document-store.ts';
import { CollectionNotEmptyError, ShardKeyError } from './mongo-errors.ts';
import { shardKeyOf } from './shard-key.ts';

/** A router's entry for a sharded collection (`config.collections`). */
interface Sharding {
  readonly key: MongoDocument;
  readonly unique: boolean;
}

/** Returns the entry; undefined for a collection on a single shard, which is always right. */
async function shardingOf({ client, databaseName }: Db, collection: string): Promise<Sharding | undefined> {
  const known = await client
    .db('config')
    .collection<MongoDocument & { _id: string }>('collections')
    .findOne({ _id: `${databaseName}.${collection}` });
  const key: MongoDocument | undefined = known?.['key'];
  // Since MongoDB 8, unsharded collections can be listed too.
  if (key === undefined || known?.['unsplittable'] === true || known?.['dropped'] === true) return undefined;
  return { key, unique: known?.['unique'] === true };
}

/**
 * Refuses a collection with another shard key: upserts by id would fail (MongoDB 7), or ids would be unique on each
 * shard only (MongoDB 8), so that two writers of one insert-once would both succeed. @throws ShardKeyError
 */
export async function confirmShardKey(db: Db, spec: CollectionSpec): Promise<Sharding | undefined> {
  const sharding = await shardingOf(db, spec.name);
  const wanted = shardKeyOf(spec);
  if (sharding !== undefined && textOf(sharding.key) !== textOf(wanted))
    throw new ShardKeyError(spec.name, textOf(sharding.key), textOf(wanted));
  return sharding;
}

/**
 * Shards a collection without documents. @returns false when it already has the right shard key
 * @throws ShardKeyError, CollectionNotEmptyError
 */
export async function shardCollection(db: Db, spec: CollectionSpec): Promise<boolean> {
  if ((await confirmShardKey(db, spec)) !== undefined) return false;
  const first = await db.collection(spec.name).findOne({}, { projection: { _id: 1 } });
  if (first !== null) throw new CollectionNotEmptyError(spec.name);
  await send(db, spec.name, { key: shardKeyOf(spec), unique: false });
  return true;
}

/**
 * Shards `replacement`, which is empty, by the shard key of `collection`; does nothing for an unsharded collection. A
 * collection can only replace another with the same sharding.
 */
export async function shardLike(db: Db, collection: string, replacement: string): Promise<void> {
  const sharding = await shardingOf(db, collection);
  if (sharding !== undefined) await send(db, replacement, sharding);
}

async function send({ client, databaseName }: Db, collection: string, sharding: Sharding): Promise<void> {
  await client.db('admin').command({ shardCollection: `${databaseName}.${collection}`, ...sharding });
}

function textOf(key: object): string {
  return JSON.stringify(key);
}
