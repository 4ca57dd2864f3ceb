export const NOTIFICATION_LIMITS = {
  /** Between two looks for mails that are due, in milliseconds. */
  pollMs: 1_000,
  /** Recipients that one look for due mails takes. */
  batch: 100,
  /** Between two looks for what time alone changes, in milliseconds. */
  lookMs: 30_000,
  /** After a start a device is waited for once more for its health interval, at most this long, in milliseconds. */
  startGraceMs: 600_000,
  /** A mail waits this long for others of the same moment, in milliseconds. */
  settleMs: 2_000,
  gatherMs: 300_000,
  /** Notices at once that are told by a mail each; more become one mail. */
  single: 3,
  /** From so many on, notices of one recipient are a storm: one mail of a minute, later of five. */
  storm: 10,
  stormMs: 60_000,
  longStormMs: 300_000,
  /** Notices of one recipient that wait whole; of more, one mail says how many. */
  waiting: 50,
  /** Ids of notices that a recipient was given last. */
  recent: 100,
  /** Mails to one recipient in an hour; more is gathered until the next. */
  mailsPerHour: 20,
  /** Administrators that one rule tells. */
  administrators: 100,
  /** Devices and files of one organisation that are known to be lost or blind. */
  states: 10_000,
} as const;
