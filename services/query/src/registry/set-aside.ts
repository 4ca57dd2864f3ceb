/**
 * Decides whether an alert is planned, by a maintenance window, or expected, by a list of contents (decision
 * 059). Pure: uses window and list as they were at the time of the alert, so that the answer never changes.
 */
import { createHash } from 'node:crypto';
import {
  canonicalJson,
  WATCHED_ATTRIBUTES,
  type AlertType,
  type AttributeChange,
  type AttributeName,
  type Covered,
  type ExpectedEntity,
  type Interval,
  type MaintenanceEntity,
} from '@sentinel-node/contracts';

/** Facts about an alert that the decision needs. */
export interface AlertMoment {
  readonly deviceId: string;
  readonly fileId: string;
  /** When the alert was raised, and when it last occurred, in milliseconds. */
  readonly timestamp: number;
  readonly lastTimestamp: number;
  readonly type: AlertType;
  readonly occurrences: number;
  readonly attributeChanges?: readonly Pick<AttributeChange, 'name'>[];
  /** Labels of device and file when the alert was raised. */
  readonly labels: readonly string[];
  /**
   * Absolute path of the file when the alert was raised, in one spelling (`normalisedPath`); null when
   * unknown or not needed.
   */
  readonly path: string | null;
  /** Hash of the content that raised the alert; null when unknown, not needed, or without content. */
  readonly contentHash: string | null;
  /** Hashes of the contents that the file had since the last known one, by the report; absent: `contentHash` alone. */
  readonly reportedHashes?: readonly string[];
}

type Covers = DeepReadonly<Covered>;
/** Part of a window that the decision needs. */
export type WindowRevisions = DeepReadonly<MaintenanceEntity['revisions']>;

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

export function isCovered(
  { everything, deviceIds, files, labels }: Covers,
  alert: Pick<AlertMoment, 'deviceId' | 'fileId' | 'labels'>,
): boolean {
  return (
    everything ||
    deviceIds.includes(alert.deviceId) ||
    files.some(({ id }) => id === alert.fileId) ||
    labels.some((label) => alert.labels.includes(label))
  );
}

/**
 * Returns when a window covers something; adjacent times are joined. A later revision does not change times
 * that were over.
 * @param isIn whether the scope of a revision counts
 */
export function spansOf(
  revisions: WindowRevisions,
  isIn: (scope: Covers) => boolean = () => true,
): Interval[] {
  const spans: { from: number; to: number }[] = [];
  for (const [at, { at: since, scope, intervals }] of revisions.entries()) {
    if (!isIn(scope)) continue;
    const until = revisions[at + 1]?.at ?? Infinity;
    for (const interval of intervals) {
      const span = { from: Math.max(interval.from, since), to: Math.min(interval.to, until) };
      if (span.from >= span.to) continue;
      const before = spans.at(-1);
      if (before !== undefined && span.from <= before.to) before.to = Math.max(before.to, span.to);
      else spans.push(span);
    }
  }
  return spans;
}

/** Keys of the entries, by list. */
export type ListEntries = ReadonlyMap<string, ReadonlySet<string>>;

export const entryKey = (orgId: string, path: string, sha256: string): string =>
  createHash('sha256')
    .update(canonicalJson([orgId, path, sha256]))
    .digest('base64url');

/** Alert types about other content. The other types are not about content. */
const OF_CONTENT: ReadonlySet<AlertType> = new Set(['UNEXPECTED_CHANGE', 'HASH_BREACH']);

/** Attributes that raise an alert by themselves. A replaced file always has others of the rest, such as another time. */
const WATCHED: ReadonlySet<AttributeName> = new Set(WATCHED_ATTRIBUTES);

/**
 * Returns whether a list expects an alert: one occurrence, with listed content alone at the listed path, and no
 * changed attribute of those that are watched.
 */
export function isExpected(
  list: DeepReadonly<Pick<ExpectedEntity, 'id' | 'orgId' | 'scope' | 'creationDate' | 'end' | 'endedAt'>>,
  entries: ListEntries,
  alert: AlertMoment,
): boolean {
  const { path, contentHash, reportedHashes = [], attributeChanges = [], timestamp } = alert;
  if (path === null || contentHash === null) return false;
  if (timestamp < list.creationDate || timestamp >= (list.endedAt ?? list.end)) return false;
  if (!OF_CONTENT.has(alert.type) || alert.occurrences !== 1) return false;
  if (attributeChanges.some(({ name }) => WATCHED.has(name))) return false;
  // A list has one content of a path, so any other one is not in it.
  if (reportedHashes.some((hash) => hash !== contentHash)) return false;
  const isListed = entries.get(list.id)?.has(entryKey(list.orgId, path, contentHash)) === true;
  return isListed && isCovered(list.scope, alert);
}

/** Returns whether all occurrences lie in one span of the window: later ones need attention. */
export function isPlanned(revisions: WindowRevisions, alert: AlertMoment): boolean {
  const spans = spansOf(revisions, (scope) => isCovered(scope, alert));
  return spans.some(({ from, to }) => from <= alert.timestamp && alert.lastTimestamp < to);
}
