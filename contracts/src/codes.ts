/** One-byte codes in hashed formats; a code is never renumbered or reused. */
import type { AlertType, Category, Frequency } from './enums.ts';

export const ENTRY_KIND = {
  GENESIS: 0,
  BASELINE: 1,
  LINK: 2,
  BREAK: 3,
  DISMISSED: 4,
  RESET: 5,
  POLICY: 6,
  ENABLED: 7,
  DISABLED: 8,
  CHILD_ADDED: 9,
  CHILD_CHANGED: 10,
  CHILD_DELETED: 11,
  DELETED: 12,
  KEY: 13,
} as const;
export type EntryKind = keyof typeof ENTRY_KIND;

export const SUBJECT_TYPE = { ORG: 1, DEVICE: 2, FILE: 3 } as const;
export type SubjectType = keyof typeof SUBJECT_TYPE;

export const ALERT_CODE = {
  EMPTY: 1,
  UNEXPECTED_CHANGE: 2,
  HASH_BREACH: 3,
  ROLLED_FILE_CHANGED: 4,
  HASH_BREACH_IN_REQ: 5,
} as const satisfies Record<AlertType, number>;

export const FREQUENCY_CODE = { PROBE: 0, FOLLOW: 1 } as const satisfies Record<Frequency, number>;
export const CATEGORY_CODE = { STANDARD: 0, ADVANCED: 1, MISSION_CRITICAL: 2 } as const satisfies Record<
  Category,
  number
>;

/** Bits of the flags byte of a policy. */
export const POLICY_FLAG = { modifiable: 1, rolled: 2, enabled: 4, watchAttributes: 8 } as const;
