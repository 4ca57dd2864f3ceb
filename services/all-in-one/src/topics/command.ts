import { parseOptions } from '@sentinel-node/agent/arguments';
import { TOPICS } from '@sentinel-node/contracts';
import { CLUSTER_TOPICS, ConfigError, readConfig } from '@sentinel-node/platform';
import { createTopics, differenceLine } from '@sentinel-node/platform/kafka';
import { OPERATOR_CLIENT_ID, runCommand, UsageError, wholeNumber } from '../operator/run.ts';
import { readTopic } from './read.ts';

const HELP = `usage: sentinel topics [--replication-factor N]
       sentinel topics read TOPIC [--partition N] [--from OFFSET] [--limit N] [--data DIR]

Makes the topics in Kafka that are missing, with partitions and retention set explicitly, and sets what differs on
those that exist. A topic with another number of partitions is refused, and nothing is changed. Settings that the brokers
do not let be set are left out: "differs" names them and what they mean. "was unsafe" names those with which records could be
lost until now: sentinel audit says whether some are. The command fails if records could be lost, or
if a topic that is kept for ever has lost its first records. A topic that was deleted from a log in use is not made again.
SENTINEL_KAFKA_BROKERS and SENTINEL_MONGODB_URL say where.

  --replication-factor N   copies of every record (default: 3; 1 on a single broker)

read   prints records of a topic, a line of JSON each, with their place, key and id. A report is beside its header as it was
       received. On the embedded store the system must be stopped.

  --partition N            of this partition only
  --from OFFSET            the first offset of each partition (default: 0)
  --limit N                records at the most (default: 100)
  --data DIR               the data folder of the embedded store (default: SENTINEL_DATA_DIR, else ./data)
  --help                   this text

Exit code 0: done; 1: it could not be done, which is one line; 2: wrong usage.
`;
/** Later versions may add topics to a log that is in use, but none of these. */
const FROM_THE_FIRST_VERSION = [TOPICS.registry, TOPICS.fileEvents, TOPICS.chain, TOPICS.anchors];
const DEFAULT_REPLICATION = '3';
const MAX_REPLICATION = 9;

const OPTIONS = {
  'replication-factor': { type: 'string' },
  partition: { type: 'string' },
  from: { type: 'string' },
  limit: { type: 'string' },
  data: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Runs `sentinel topics`. @returns the exit code */
export async function runTopics(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions({ args: [...args], options: OPTIONS, allowPositionals: true });
  return runCommand({ name: 'topics', help: HELP }, values, async () => {
    const [action, topic, ...more] = positionals;
    if (action !== undefined && (action !== 'read' || more.length > 0))
      throw new UsageError('say nothing, or read and a topic; --help tells more');
    const { data, from, limit, partition, 'replication-factor': factor } = values;
    const ofRead = { data, from, limit, partition };
    if (action === 'read') {
      if (factor !== undefined) throw new UsageError('read takes no --replication-factor');
      return readTopic(topic, ofRead);
    }
    if (Object.values(ofRead).some((value) => value !== undefined))
      throw new UsageError('--partition, --from, --limit and --data are for read');
    const given = factor ?? DEFAULT_REPLICATION;
    const replicationFactor = wholeNumber('replication-factor', given, 1, MAX_REPLICATION);
    const { store } = readConfig(process.env, ['ingestion']);
    if (store.kind === 'embedded') {
      const message = 'is not set; the embedded store makes its topics itself';
      throw new ConfigError([{ variable: 'SENTINEL_KAFKA_BROKERS', message }]);
    }
    const connection = { ...store.kafka, clientId: OPERATOR_CLIENT_ID };
    const { made, changed, differences, unsafeBefore } = await createTopics(connection, CLUSTER_TOPICS, {
      replicationFactor,
      together: FROM_THE_FIRST_VERSION,
    });
    process.stdout.write(
      `made: ${made.join(', ') || 'none'}\nsettings changed: ${changed.join(', ') || 'none'}\n`,
    );
    for (const one of unsafeBefore)
      process.stdout.write(
        `was unsafe: ${differenceLine(one)}; run sentinel audit, which says whether records are gone\n`,
      );
    for (const one of differences) process.stdout.write(`differs: ${differenceLine(one)}\n`);
    return 0;
  });
}
