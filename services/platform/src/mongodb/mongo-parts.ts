import type { Db, MongoClient } from 'mongodb';
import type { Log } from '../logging/log.ts';
import type { CollectionSpec, DocumentStore } from '../ports/document-store.ts';
import type { MongoCalls } from './calls.ts';
import type { Topology } from './topology.ts';

export interface MongoDocumentStore extends DocumentStore {
  /** Whether a server that takes writes answered the last heartbeat. */
  reachable(): boolean;
  /** Calls under way or waiting for a connection. */
  pendingCalls(): number;
  /**
   * Shards collections that have no documents yet by the keys that writes rely on. @returns those that were not sharded
   * before @throws NotShardedError without a router, ShardKeyError, CollectionNotEmptyError
   */
  shard(collections: readonly CollectionSpec[]): Promise<string[]>;
}

export interface MongoParts {
  readonly client: MongoClient;
  readonly db: Db;
  readonly calls: MongoCalls;
  readonly reachable: () => boolean;
  /** Milliseconds that the server may take for one read. */
  readonly readMs: number;
  readonly topology: Topology;
  readonly log: Log;
  /** A connection of its own for calls that take longer than any other may; nothing is sent before its first call. */
  readonly openPatient: () => { readonly db: Db; close(): Promise<void> };
}
