import type { AlertType, AttributeChange, Attributes, Policy, Version } from '@sentinel-node/contracts';

/** An alert that nobody has handled yet. */
export interface OpenAlert {
  readonly alertId: string;
  /** Milliseconds; of the record that raised it. */
  readonly timestamp: number;
  readonly lastTimestamp: number;
  /** The first included. */
  readonly occurrences: number;
  /** Number and id of the first BREAK. */
  readonly breakNumber: number;
  readonly breakId: string;
  /** Attributes before the first deviation; absent: none are known. */
  readonly attributeChanges?: readonly AttributeChange[];
}

/** Members of the report with the highest sequence; `timestamp` is the agent's clock. */
export interface Highest {
  readonly sequence: number;
  readonly timestamp: string;
  /** `reportDigest` of contracts. */
  readonly digest: string;
}

/** The key is parked: its records become dead letters, in order, until all of them are replayed or skipped. */
export interface Parked {
  /** Offset of the record that parked it: names the parking. */
  readonly parking: number;
  /**
   * `letters` counts the dead letters so far, `replayed` those that were judged or skipped. Only the letter with the number
   * `replayed` is accepted next.
   */
  readonly letters: number;
  readonly replayed: number;
  /** Cause of the last failed attempt to judge. */
  readonly cause: string;
}

/**
 * Everything the verifier remembers of one key of file-events (a file, or a device for its own notices): the state after
 * exactly the preceding records of the key. Plain JSON, so that it is stored as it is. Times are milliseconds.
 */
export interface Head {
  /** Records of the key that changed something; 0 before the first. */
  readonly rev: number;
  /** Offset of the last of them in its partition; −1 before the first. */
  readonly offset: number;
  /** Highest accepted time. */
  readonly time: number;
  /** In force; null before the GENESIS. */
  readonly policy: Policy | null;
  readonly policyHash: string | null;
  /** Last entry of the chain; null before the GENESIS. */
  readonly number: number | null;
  readonly linkHash: string | null;
  /** Newest entry among BASELINE, LINK, BREAK. */
  readonly lastLinkId: string | null;
  /** Last reported version, kept while the file is missing. */
  readonly last: Version | null;
  /** Last reported attributes of a file whose attributes are watched; absent: none are known. */
  readonly attributes?: Attributes;
  readonly missing: boolean;
  /** A report with at least this configVersion becomes a baseline (changed path or frequency). */
  readonly awaitedVersion: number | null;
  /** A report with at least `awaitedVersion` has said that the file is missing; absent: none has (rules 3). */
  readonly awaitedMissing?: true;
  /** The next version becomes a baseline, whichever report brings it (reset while missing). */
  readonly awaitsNext: boolean;
  /** configVersion that switched monitoring on again, until a report of that configuration was judged. */
  readonly enabledAgain: number | null;
  /** Never reset. */
  readonly highest: Highest | null;
  readonly open: Readonly<Partial<Record<AlertType, OpenAlert>>>;
  /** Time of the last event of the kind; each kind occurs at most once an hour. */
  readonly sequenceBackAt: number | null;
  readonly sequenceReusedAt: number | null;
  /** Last accepted notice, so that a notice appended twice gives one event. */
  readonly noticeId: string | null;
  /** Last report but ERROR, since rules 4 of the present path; last report. */
  readonly checkedAt: number | null;
  readonly contactAt: number | null;
  /** The chain has ended. */
  readonly deleted: boolean;
  /** Absent unless the key is parked. */
  readonly parked?: Parked;
}

export const INITIAL_HEAD: Head = {
  rev: 0,
  offset: -1,
  time: 0,
  policy: null,
  policyHash: null,
  number: null,
  linkHash: null,
  lastLinkId: null,
  last: null,
  missing: false,
  awaitedVersion: null,
  awaitsNext: false,
  enabledAgain: null,
  highest: null,
  open: {},
  sequenceBackAt: null,
  sequenceReusedAt: null,
  noticeId: null,
  checkedAt: null,
  contactAt: null,
  deleted: false,
};
