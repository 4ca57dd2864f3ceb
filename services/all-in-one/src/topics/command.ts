import { parseArgs } from 'node:util';
import { CLUSTER_TOPICS, ConfigError, readConfig } from '@sentinel-node/platform';
import { createTopics, differenceLine } from '@sentinel-node/platform/kafka';
import { OPERATOR_CLIENT_ID, runCommand, wholeNumber } from '../operator/run.ts';

const HELP = `usage: sentinel topics [--replication-factor N]

Makes the topics in Kafka that are missing, with partitions and retention set explicitly, and sets what differs on
those that exist. A topic with another number of partitions is refused, and nothing is changed. Settings that the brokers
do not let be set are left out: "differs" names them and what they mean; the command fails if records could be lost.
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
  return runCommand({ name: 'topics', help: HELP }, values, async () => {
    const given = values['replication-factor'] ?? DEFAULT_REPLICATION;
    const replicationFactor = wholeNumber('replication-factor', given, 1, MAX_REPLICATION);
    const { store } = readConfig(process.env, ['ingestion']);
    if (store.kind === 'embedded') {
      const message = 'is not set; the embedded store makes its topics itself';
      throw new ConfigError([{ variable: 'SENTINEL_KAFKA_BROKERS', message }]);
    }
    const connection = { ...store.kafka, clientId: OPERATOR_CLIENT_ID };
    const { made, changed, differences } = await createTopics(connection, CLUSTER_TOPICS, {
      replicationFactor,
    });
    process.stdout.write(
      `made: ${made.join(', ') || 'none'}\nsettings changed: ${changed.join(', ') || 'none'}\n`,
    );
    for (const one of differences) process.stdout.write(`differs: ${differenceLine(one)}\n`);
    return 0;
  });
}
