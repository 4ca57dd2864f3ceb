import { LIMITS } from '@sentinel-node/contracts';

export const NOTIFICATION_LIMITS = {
  /**
   * Partitions of the log that are handled at the same time: half of them. Their notices are written together, so that more
   * partitions cost the store little, and no organisation waits long for those of another.
   */
  concurrentPartitions: 32,
  /** Milliseconds between two searches for mails that are due. */
  pollMs: 1_000,
  /** Recipients in one search for due mails. */
  batch: 100,
  /** Another process may hand on the mails of a recipient after so many milliseconds, in case the one that began has ended. */
  leaseMs: 60_000,
  /** How far the clocks of processes may differ. A time further ahead than this is of a clock that was set back since. */
  clocksDifferMs: 60_000,
  /** Recipients whose mails are made at the same time. */
  atOnce: 8,
  /** Milliseconds between two searches for lost devices and files. */
  lookMs: 30_000,
  /** After so many milliseconds without a look, it is as after a start: nobody listened meanwhile. */
  lookGapMs: 120_000,
  /**
   * After a start, each device gets another health interval, at most this long in milliseconds, before it
   * counts as lost.
   */
  startGraceMs: 600_000,
  /** Milliseconds that a mail waits for other notices of the same moment. */
  settleMs: 2_000,
  gatherMs: 300_000,
  /** Notices that each get a mail of their own; more are put into one mail. */
  single: 3,
  /** From this number on, waiting notices are a storm: one mail a minute, later one every five minutes. */
  storm: 10,
  stormMs: 60_000,
  longStormMs: 300_000,
  /** Notices that one recipient's mailbox holds in full; further notices are only counted. */
  waiting: 50,
  /** Ids of the newest notices of records in a mailbox, to recognise duplicates. */
  recent: 100,
  /** States that a look tells in one step. */
  toldAtOnce: LIMITS.pageItems,
  /**
   * Ids of the newest notices in a mailbox that no record caused. Only by these is such a notice recognised: those of the step
   * that a crash ended, and of the next one.
   */
  recentOfLooks: 2 * LIMITS.pageItems,
  /** Mails to one recipient in an hour; further notices wait for the next hour. */
  mailsPerHour: 20,
  /** Administrators that one rule notifies. */
  administrators: 100,
  /** Lost or unwatched files that are kept for one organisation, beside its lost devices. */
  states: 10_000,
} as const;
