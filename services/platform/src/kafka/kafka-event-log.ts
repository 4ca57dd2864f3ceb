import type { EventLog } from '../ports/event-log.ts';
import type { UnsafeTopics } from './topic-watch.ts';

export interface KafkaEventLog extends EventLog {
  /** Returns the bytes that are appended but not yet acknowledged; for metrics. */
  unflushedBytes(): number;
  /** Returns whether a broker answered the last probe and no append is being retried. */
  reachable(): boolean;
  /** Returns the groups that a consumer of this process has not been a member of for `groupAbsenceMs`. */
  absentGroups(): readonly string[];
  /**
   * Returns for each group of this process the whole seconds since every partition of its consumer had been fetched once
   * more; 0 without partitions, and while their records are being handled.
   */
  unfetchedSeconds(): Readonly<Record<string, number>>;
  /** Returns the groups of which a partition of this process was not fetched for `fetchSilenceMs`. */
  unfetchedGroups(): readonly string[];
  /** Returns the numbers of topics whose settings can lose records, and of those that lost their first records. */
  unsafeTopics(): UnsafeTopics;
  /** Returns the topics that were seen to lose their end, as one that was deleted and made again; nothing is appended to them. */
  shortenedTopics(): readonly string[];
}
