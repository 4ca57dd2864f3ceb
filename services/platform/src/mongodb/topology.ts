import type { Document as MongoDocument } from 'mongodb';

/** Kind of server behind a connection string; `sharded` means a router (mongos). */
export type Topology = 'standalone' | 'replicaSet' | 'sharded';

/** Returns the topology from the answer to `hello`. */
export function topologyOf(hello: MongoDocument): Topology {
  if (hello['msg'] === 'isdbgrid') return 'sharded';
  return hello['setName'] === undefined ? 'standalone' : 'replicaSet';
}
