import type { CollectionSpec } from '../ports/document-store.ts';
import { ID, pathOf } from './names.ts';

/**
 * Returns the shard key of a collection, hashed, in the form for `sh.shardCollection`.
 *
 * Immutable documents that name their file are sharded by the file: the same cause gives the same id and the same file,
 * so that an id stays unique although shards do not see each other. All other writes depend on a unique id (upserts,
 * insert-once, expected revisions), which only the id as shard key guarantees over all shards; each such write goes to
 * one shard, and a read of an organisation queries the index on every shard.
 */
export function shardKeyOf({
  immutable = false,
  indexes,
}: CollectionSpec): Readonly<Record<string, 'hashed'>> {
  const first = indexes[0]?.fields[0];
  const isUnique = indexes.some(({ unique }) => unique);
  return immutable && first !== undefined && !isUnique ? { [pathOf(first)]: 'hashed' } : { [ID]: 'hashed' };
}
