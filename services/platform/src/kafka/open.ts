import { openBrokerEventLog } from './broker-event-log.ts';
import { clientContext } from './client.ts';
import type { KafkaEventLog } from './kafka-event-log.ts';
import { GROUPS, LagGauge } from './lag-gauge.ts';
import type { KafkaEventLogOptions } from './options.ts';
import { openThreadedEventLog } from './thread/threaded-event-log.ts';

/**
 * Opens the log on existing topics.
 * @throws TopicMissingError, PartitionCountChangedError, LogUnavailableError
 */
export async function openKafkaEventLog(options: KafkaEventLogOptions): Promise<KafkaEventLog> {
  const { metrics, topics } = options;
  const context = clientContext(options);
  const lag = new LagGauge(topics, metrics);
  const open = options.ownThread === true ? openThreadedEventLog : openBrokerEventLog;
  const eventLog = await open(context, topics, lag);
  metrics?.observedTop(
    {
      name: 'consumer_unfetched_seconds',
      help: 'Seconds since each partition that this process consumes was fetched once more; 0 while all are being handled',
      labels: { group: GROUPS },
    },
    () => Object.entries(eventLog.unfetchedSeconds()),
  );
  metrics?.observedTop(
    {
      name: 'topics_unsafe',
      help: 'Topics whose settings can lose records (settings), or whose first records are gone (records_gone)',
      labels: { problem: 2 },
    },
    () => Object.entries(eventLog.unsafeTopics()),
  );
  return eventLog;
}
