import { parseArgs } from 'node:util';
import { CLUSTER_TOPICS, ConfigError, failureMessage, readConfig } from '@sentinel-node/platform';
import { createTopics } from '@sentinel-node/platform/kafka';

const HELP = `usage: sentinel topics [--replication-factor N]

Makes the topics in Kafka that are missing, with partitions and retention set explicitly, and sets what differs on
those that exist. A topic with another number of partitions is refused, and nothing is changed.
SENTINEL_KAFKA_BROKERS and SENTINEL_MONGODB_URL say where.

  --replication-factor N   copies of every record (default: 3; 1 on a single broker)
  --help                   this text
`;
const DEFAULT_REPLICATION = '3';
const MAX_REPLICATION = 9;

/** @returns the exit code */
export async function runTopics(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { 'replication-factor': { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help === true) {
    process.stdout.write(HELP);
    return 0;
  }
  const replicationFactor = Number(values['replication-factor'] ?? DEFAULT_REPLICATION);
  if (!Number.isInteger(replicationFactor) || replicationFactor < 1 || replicationFactor > MAX_REPLICATION) {
    process.stderr.write(
      `sentinel topics: --replication-factor takes a whole number from 1 to ${MAX_REPLICATION}\n`,
    );
    return 2;
  }
  try {
    const { store } = readConfig(process.env, ['ingestion']);
    if (store.kind === 'embedded') {
      const message = 'is not set; the embedded store makes its topics itself';
      throw new ConfigError([{ variable: 'SENTINEL_KAFKA_BROKERS', message }]);
    }
    const { made, changed } = await createTopics(store.kafka, CLUSTER_TOPICS, {
      replicationFactor,
    });
    process.stdout.write(
      `made: ${made.join(', ') || 'none'}\nsettings changed: ${changed.join(', ') || 'none'}\n`,
    );
    return 0;
  } catch (error) {
    const message = failureMessage(error);
    if (message === undefined) throw error;
    process.stderr.write(`sentinel topics: ${message}\n`);
    return 1;
  }
}
