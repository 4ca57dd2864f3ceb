import { parseOptions } from '@sentinel-node/agent/arguments';
import { ConfigError, confirmFormOf, createLog, readConfig } from '@sentinel-node/platform';
import { openMongoDocumentStore } from '@sentinel-node/platform/mongodb';
import { ALL_COLLECTIONS } from '../all-collections.ts';
import { runCommand } from '../operator/run.ts';

const HELP = `usage: sentinel collections [--shard]

Makes the collections and indexes in MongoDB that are missing, and resolves when they serve. The services do the same
when they start; on a filled database this command can be run before an upgrade, and takes as long as it needs.
SENTINEL_KAFKA_BROKERS and SENTINEL_MONGODB_URL say where.

  --shard   first shards each collection, by the key that writes rely on; the URL leads to a router (mongos), and the
            collections hold no documents yet
  --help    this text

Exit code 0: all is there. 1: a collection has another index or is sharded by another key; nothing of it is changed.
`;

/** Runs `sentinel collections`. @returns the exit code */
export async function runCollections(args: readonly string[]): Promise<number> {
  const { values } = parseOptions({
    args: [...args],
    options: { shard: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  return runCommand({ name: 'collections', help: HELP }, values, async () => {
    const { store: at } = readConfig(process.env, ['ingestion']);
    if (at.kind === 'embedded') {
      const message = 'is not set; the embedded store makes its collections itself';
      throw new ConfigError([{ variable: 'SENTINEL_MONGODB_URL', message }]);
    }
    const log = createLog({ level: 'info', service: 'collections', destination: process.stderr });
    const store = await openMongoDocumentStore({ url: at.mongodbUrl, log });
    try {
      if (values.shard === true) {
        const sharded = await store.shard(ALL_COLLECTIONS);
        process.stdout.write(`sharded: ${sharded.join(', ') || 'none'}\n`);
      }
      await confirmFormOf(store);
      await store.ensure(ALL_COLLECTIONS);
      process.stdout.write(`collections with their indexes: ${ALL_COLLECTIONS.length}\n`);
      return 0;
    } finally {
      await store.close();
    }
  });
}
