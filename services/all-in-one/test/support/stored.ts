/** Reads the document store of a running system, as an operator's database tool would. */
import { join } from 'node:path';
import Database from 'libsql';
import { silentLog } from '@sentinel-node/platform';
import { openMongoDocumentStore } from '@sentinel-node/platform/mongodb';
import { Cluster } from './cluster.ts';
import { Node } from './node.ts';
import type { System } from './system.ts';

type Row = Readonly<Record<string, unknown>>;

/** Returns the documents of a collection, 10,000 at most. */
export function documentsOf<T>(system: System, collection: string): Promise<T[]> {
  if (system instanceof Node) return Promise.resolve(embedded(system.dataDir, collection) as T[]);
  if (system instanceof Cluster) return inMongo(system.servers.mongo.url, collection) as Promise<T[]>;
  throw new Error('a system of another kind');
}

function embedded(dataDir: string, collection: string): unknown[] {
  const database = new Database(join(dataDir, 'documents.db'), { readonly: true });
  try {
    const found = database.prepare('SELECT tbl FROM collections WHERE name = ?').get(collection) as Row;
    const rows = database.prepare(`SELECT body FROM ${String(found['tbl'])} LIMIT 10000`).all() as Row[];
    return rows.map(({ body }) => JSON.parse(String(body)) as unknown);
  } finally {
    database.close();
  }
}

async function inMongo(url: string, collection: string): Promise<unknown[]> {
  const store = await openMongoDocumentStore({ url, log: silentLog() });
  try {
    await store.ensure([{ name: collection, indexes: [] }]);
    return await store.find(collection, { limit: 10_000 });
  } finally {
    await store.close();
  }
}
