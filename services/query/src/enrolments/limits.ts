export const ENROLMENT_LIMITS = {
  /** Of one organisation, in one process. */
  enrolmentsPerMinute: 600,
  /** Of one address, in one process. */
  wrongTokensPerMinute: 20,
} as const;
