import type { Db, MongoClient } from 'mongodb';
import type { Log } from '../logging/log.ts';
import type { CollectionSpec, DocumentStore } from '../ports/document-store.ts';
import type { MongoCalls } from './calls.ts';
import type { RefusedWrites } from './refused-writes.ts';
import type { Topology } from './topology.ts';

export interface MongoDocumentStore extends DocumentStore {
  /** Returns whether a server that accepts writes answered the last heartbeat. */
  reachable(): boolean;
  /** Returns false while writes have been refused for `refusedWritesMs`, and none has succeeded since. */
  takesWrites(): boolean;
  /** Returns the number of calls that run or wait for a connection. */
  pendingCalls(): number;
  /**
   * Shards collections without documents by the keys that writes need.
   * @returns the collections that were not sharded before
   * @throws NotShardedError without a router, ShardKeyError, CollectionNotEmptyError
   */
  shard(collections: readonly CollectionSpec[]): Promise<string[]>;
}

export interface MongoParts {
  readonly client: MongoClient;
  readonly db: Db;
  /** The same database over the connections of `writeBatches`. */
  readonly batches: { readonly db: Db; close(): Promise<void> };
  readonly calls: MongoCalls;
  /** Limit of the bytes of calls. */
  readonly pendingBytes: number;
  readonly writes: RefusedWrites;
  readonly reachable: () => boolean;
  /** Milliseconds that the server may take for one read. */
  readonly readMs: number;
  readonly topology: Topology;
  readonly log: Log;
  /**
   * Opens a separate connection for calls that may take longer than others; it sends nothing before its first call.
   */
  readonly openPatient: () => { readonly db: Db; close(): Promise<void> };
}
