import type { EventLog } from '../ports/event-log.ts';

export interface KafkaEventLog extends EventLog {
  /** Appended and not yet acknowledged; for metrics. */
  unflushedBytes(): number;
  /** A broker answered the last time it was asked, and no append is being tried again. */
  reachable(): boolean;
}
