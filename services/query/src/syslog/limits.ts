export const SYSLOG_LIMITS = {
  /** Notices of one batch of the topic. */
  batch: 500,
  /** A connection ends when nothing was sent for this long, in milliseconds: longer than a segment and its refusal are on their way. */
  quietMs: 1_000,
  /** From this age on, in milliseconds, a connection takes no further notices, and ends. */
  connectionMs: 10_000,
  /** Wait before the next connection after one that failed. */
  retry: { firstMs: 1_000, longestMs: 60_000 },
  /** Notices that wait for so long, in milliseconds, are an alarm. */
  alarmMs: 900_000,
} as const;
