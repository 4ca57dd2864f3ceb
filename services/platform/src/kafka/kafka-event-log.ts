import type { EventLog } from '../ports/event-log.ts';

export interface KafkaEventLog extends EventLog {
  /** Returns the bytes that are appended but not yet acknowledged; for metrics. */
  unflushedBytes(): number;
  /** Returns whether a broker answered the last probe and no append is being retried. */
  reachable(): boolean;
  /** Returns the groups that a consumer of this process has not been a member of for `groupAbsenceMs`. */
  absentGroups(): readonly string[];
}
