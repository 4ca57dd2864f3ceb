import { LIMITS } from '@sentinel-node/contracts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const WEBHOOK_LIMITS = {
  /** Notices that wait for receivers, of all organisations. */
  waiting: 100_000,
  /** Notices left out are summed up until none was left out for this long. */
  leftOutMs: DAY_MS,
  /**
   * Milliseconds between two counts of the waiting notices of an organisation in the store; each reads an index
   * entry for every waiting notice.
   */
  countEveryMs: 5_000,
  /** Organisations whose count is cached. */
  countedOrganizations: 1_000,
  /** Webhooks that a process sends to at the same time. */
  atOnce: 32,
  /** Parallel requests to one webhook, each with another order key. */
  lanes: 8,
  /** Webhooks of one organisation that wait for their turn. */
  waitingWebhooks: 20,
  turnMs: 60_000,
  /** Milliseconds between two searches for due webhooks. */
  pollMs: 1_000,
  /** Webhooks in one search. */
  found: 1_000,
  /** Notices of a webhook in one read. */
  page: 100,
  /** Notices of an organisation in one write. */
  addedAtOnce: 500,
  /** Time that a process sends to one webhook before another webhook has a turn. */
  sliceMs: 10_000,
  /** Another process may send to the webhook after this time: twice the slice and the longest request. */
  leaseMs: 60_000,
  /** How far the clocks of processes may differ. What a clock further ahead than this wrote is of one that was set back since. */
  clocksDifferMs: 60_000,
  /** Milliseconds between two searches for webhooks that such a clock made due later. */
  lookAheadEveryMs: 30_000,
  /** A notice is tried for this long; then it becomes a dead letter. */
  triedMs: 3 * DAY_MS,
  /** Wait between two attempts for one notice. */
  retry: { firstMs: 5_000, longestMs: 6 * HOUR_MS },
  /** Wait between two attempts for a webhook that does not answer; a delivery resets it. */
  pause: { firstMs: 5_000, longestMs: 300_000 },
  /** Longest `Retry-After` that is followed. */
  retryAfterMs: 6 * HOUR_MS,
  /** Delivered notices are remembered for this long, so that a duplicate is not sent. */
  deliveredMs: 4 * DAY_MS,
  /** Attempts in the log of one webhook. */
  attempts: LIMITS.webhookAttempts,
  attemptMs: 30 * DAY_MS,
  /** Dead letters of one webhook; the oldest are removed first. */
  deadLetters: 1_000,
  deadLetterMs: 30 * DAY_MS,
} as const;
