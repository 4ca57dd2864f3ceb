import type { Document as MongoDocument } from 'mongodb';

/** What a connection string leads to; `sharded` means a router (mongos). */
export type Topology = 'standalone' | 'replicaSet' | 'sharded';

/** Reads the answer to `hello`. */
export function topologyOf(hello: MongoDocument): Topology {
  if (hello['msg'] === 'isdbgrid') return 'sharded';
  return hello['setName'] === undefined ? 'standalone' : 'replicaSet';
}
