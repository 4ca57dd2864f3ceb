import { TOPICS } from '@sentinel-node/contracts';
import { CLUSTER_TOPICS } from '@sentinel-node/platform';
import { openKafkaEventLog } from '@sentinel-node/platform/kafka';
import type { Cluster } from './cluster.ts';

/** Appends bytes that no version can judge, as a broken program would. */
export async function poison(cluster: Cluster, key: string): Promise<void> {
  const brokers = [cluster.servers.kafka.brokers];
  const eventLog = await openKafkaEventLog({ brokers, topics: CLUSTER_TOPICS });
  await eventLog.append(TOPICS.fileEvents, [{ key, id: 'poison', body: Buffer.from('{"kind":"riddle"}') }]);
  await eventLog.close();
}
