const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const WEBHOOK_LIMITS = {
  /** Notices that wait for receivers. */
  waiting: 100_000,
  /** Notices that were left out are counted together until none was for this long. */
  leftOutMs: DAY_MS,
  /** The number that wait is counted at most this often for each organisation, in milliseconds. */
  countEveryMs: 1_000,
  /** Organisations whose number is remembered for that. */
  countedOrganizations: 1_000,
  /** Webhooks that are sent to at the same time. */
  atOnce: 32,
  /** Requests to one webhook at the same time, each of another order key. */
  lanes: 8,
  /** Webhooks of one organisation that wait for their turn. */
  waitingWebhooks: 20,
  turnMs: 60_000,
  /** Between two looks. */
  pollMs: 1_000,
  /** Webhooks that one look finds. */
  found: 1_000,
  /** Notices of a webhook that are read at once. */
  page: 100,
  /** A webhook is sent to for this long; then others have a turn. */
  sliceMs: 10_000,
  /** A process has this long before another may send to the webhook: the slice and the longest request, twice. */
  leaseMs: 60_000,
  /** A notice that could not be delivered is tried for this long; then it is a dead letter. */
  triedMs: 3 * DAY_MS,
  /** Between two tries of a notice. */
  retry: { firstMs: 5_000, longestMs: 6 * HOUR_MS },
  /** Between two tries of a webhook that does not answer; any delivery ends it. */
  pause: { firstMs: 5_000, longestMs: 300_000 },
  /** A `Retry-After` that asks for more is cut. */
  retryAfterMs: 6 * HOUR_MS,
  /** That a notice was delivered is remembered for this long: the same notice, given again, is not sent again. */
  deliveredMs: 4 * DAY_MS,
  /** Attempts that the log of a webhook shows. */
  attempts: 200,
  attemptMs: 30 * DAY_MS,
  /** Dead letters of a webhook; the oldest give way. */
  deadLetters: 1_000,
  deadLetterMs: 30 * DAY_MS,
} as const;
