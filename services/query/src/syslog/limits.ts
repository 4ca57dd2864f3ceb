export const SYSLOG_LIMITS = {
  /** Notices in one batch of the topic. */
  batch: 500,
  /** Idle time after which a connection ends, in milliseconds: longer than a segment and its refusal take. */
  quietMs: 1_000,
  /** Age from which a connection takes no further notices and ends, in milliseconds. */
  connectionMs: 10_000,
  /** Wait before the next connection after one that failed. */
  retry: { firstMs: 1_000, longestMs: 60_000 },
  /** Waiting time of notices that raises an alarm, in milliseconds. */
  alarmMs: 900_000,
} as const;
