import { getHeapStatistics } from 'node:v8';
import { LIMITS } from '@sentinel-node/contracts';

const LEAST_FILES = 200_000;
/**
 * Heap of the process for each kept file or device, in bytes: six times what one takes, because a check holds an organisation
 * twice for a moment, and the rest of the service needs memory too.
 */
const HEAP_PER_FILE_BYTES = 3_072;

/** Returns the most files and devices that a process keeps. @param heapBytes the most that its heap may take */
export const knownFilesOf = (heapBytes: number): number =>
  Math.max(LEAST_FILES, Math.floor(heapBytes / HEAP_PER_FILE_BYTES));

/** Limits of the facts kept for counts. */
export const SUMMARY_LIMITS = {
  /** The most files and devices, of all organisations. */
  files: knownFilesOf(getHeapStatistics().heap_size_limit),
  /** Organisations that are loaded from the store in parallel; further ones are surveyed. */
  loadsAtOnce: 2,
  /** Least age at which a read compares the kept facts with the store (ms). */
  checkedEveryMs: 600_000,
} as const;

/** The most alerts that the dashboard names. */
export const NEWEST_ALERTS = 3;

/**
 * The most ACTIVE alerts that one read of the dashboard looks at for those that last occurred before what health counts: nearly all
 * can be of deleted files. Behind more of them, the dashboard names fewer than it counts.
 */
export const OLDER_ALERTS_LOOKED_AT = 5_000;

/** Times the duration of a load that pass before the next one: a million files take half a minute, beside everything else. */
const LOADS_APART = 100;

/** Returns the time (ms) until the kept facts are compared with the store. @param loadMs duration of their load */
export const checkAfterMs = (loadMs: number): number =>
  Math.max(SUMMARY_LIMITS.checkedEveryMs, LOADS_APART * loadMs);

/** Files of one read: few enough that other reads do not wait long. */
export const FILES_A_STEP = 500;

/** Limits of looking for parked files. */
export const PARKED_LIMITS = {
  /** The most parked files that are looked at, of all organisations; one query finds no more. */
  files: LIMITS.findDocuments,
  /** How long a look holds where nobody is told that a file was parked or freed (ms). */
  keptMs: 5_000,
} as const;

export const CONTACT_LIMITS = {
  /** Milliseconds between two looks at an organisation: four looks an hour. */
  lookMs: 900_000,
  /** Milliseconds after a start without a look, so that agents can report what they could not while the server was away. */
  graceMs: 600_000,
  /** How long an hour is kept (ms): 30 days are shown, in any time zone. */
  keptMs: 32 * 86_400_000,
  /** Hours of one read. */
  hours: 32 * 24,
  /** Milliseconds between two checks whether a look is due. */
  checkMs: 60_000,
} as const;
