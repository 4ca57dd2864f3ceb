/** Bounds of what is kept to count from. */
export const SUMMARY_LIMITS = {
  /** Files and devices of all organisations. */
  files: 200_000,
  /** Organisations that are read from the store at once; others are surveyed. */
  loadsAtOnce: 2,
  /** What is kept is compared with the store this often, when it is read. */
  checkedEveryMs: 600_000,
} as const;
