export const ENROLMENT_LIMITS = {
  /** Limit of one organisation, in one process. */
  enrolmentsPerMinute: 600,
  /** Limit of one address, in one process. */
  wrongTokensPerMinute: 20,
} as const;
