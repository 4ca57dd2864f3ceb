import type { CollectionSpec } from '../ports/document-store.ts';
import { ID, pathOf } from './names.ts';

/**
 * The key to shard a collection by, hashed, as `sh.shardCollection` takes it.
 *
 * What is written once and names its file lies with its file: the same cause gives the same id and the same file, so
 * that an id stays unique although no shard sees the others. Everything else is guarded by its id (upserts, insert-once,
 * expected revisions), and only an id as the key makes that hold over all shards; such writes go to one shard each, and
 * reads of an organisation ask every shard for its part of an index.
 */
export function shardKeyOf({
  immutable = false,
  indexes,
}: CollectionSpec): Readonly<Record<string, 'hashed'>> {
  const first = indexes[0]?.fields[0];
  const isUnique = indexes.some(({ unique }) => unique);
  return immutable && first !== undefined && !isUnique ? { [pathOf(first)]: 'hashed' } : { [ID]: 'hashed' };
}
