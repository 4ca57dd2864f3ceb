/** Limits of the facts kept for counts. */
export const SUMMARY_LIMITS = {
  /** The most files and devices, of all organisations. */
  files: 200_000,
  /** Organisations that are loaded from the store in parallel; further ones are surveyed. */
  loadsAtOnce: 2,
  /** Age at which a read compares the kept facts with the store (ms). */
  checkedEveryMs: 600_000,
} as const;
