import { openBrokerEventLog } from './broker-event-log.ts';
import { clientContext } from './client.ts';
import type { KafkaEventLog } from './kafka-event-log.ts';
import { LagGauge } from './lag-gauge.ts';
import type { KafkaEventLogOptions } from './options.ts';
import { openThreadedEventLog } from './thread/threaded-event-log.ts';

/**
 * Opens the log on existing topics.
 * @throws TopicMissingError, PartitionCountChangedError, LogUnavailableError
 */
export function openKafkaEventLog(options: KafkaEventLogOptions): Promise<KafkaEventLog> {
  const context = clientContext(options);
  const lag = new LagGauge(options.topics, options.metrics);
  const open = options.ownThread === true ? openThreadedEventLog : openBrokerEventLog;
  return open(context, options.topics, lag);
}
