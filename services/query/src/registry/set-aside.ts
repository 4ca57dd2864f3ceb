/**
 * Whether an alert is set aside: planned, by a maintenance window, or expected, by a list of contents (decision 059). Pure: what
 * window and list were at the time of the alert decides, so that the answer is the same whenever it is asked for.
 */
import { createHash } from 'node:crypto';
import {
  canonicalJson,
  type AlertType,
  type Covered,
  type ExpectedEntity,
  type Interval,
  type MaintenanceEntity,
} from '@sentinel-node/contracts';

/** What decides of one alert. */
export interface AlertMoment {
  readonly deviceId: string;
  readonly fileId: string;
  /** When it was raised, and when it occurred last, in milliseconds. */
  readonly timestamp: number;
  readonly lastTimestamp: number;
  readonly type: AlertType;
  readonly occurrences: number;
  readonly attributeChanges?: readonly unknown[];
  /** Those of device and file when it was raised. */
  readonly labels: readonly string[];
  /** The whole path of the file when it was raised, in one spelling (`normalisedPath`); null: not known, or not asked for. */
  readonly path: string | null;
  /** Of what raised it; null: as of `path`, or there was none. */
  readonly contentHash: string | null;
}

type Covers = DeepReadonly<Covered>;
/** What of a window decides. */
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
 * When a window covers something, without what a later change said of a time that was over; touching times are one.
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

/** Of each list, keys of its entries. */
export type ListEntries = ReadonlyMap<string, ReadonlySet<string>>;

export const entryKey = (orgId: string, path: string, sha256: string): string =>
  createHash('sha256')
    .update(canonicalJson([orgId, path, sha256]))
    .digest('base64url');

/** Types that say: there is other content now. Of the others the content is not what is wrong. */
const OF_CONTENT: ReadonlySet<AlertType> = new Set(['UNEXPECTED_CHANGE', 'HASH_BREACH']);

/** Exactly: one occurrence, that left the content of the list at its path, and changed no attribute. */
export function isExpected(
  list: DeepReadonly<Pick<ExpectedEntity, 'id' | 'orgId' | 'scope' | 'creationDate' | 'end' | 'endedAt'>>,
  entries: ListEntries,
  alert: AlertMoment,
): boolean {
  const { path, contentHash, timestamp } = alert;
  if (path === null || contentHash === null) return false;
  if (timestamp < list.creationDate || timestamp >= (list.endedAt ?? list.end)) return false;
  if (!OF_CONTENT.has(alert.type) || alert.occurrences !== 1 || alert.attributeChanges !== undefined)
    return false;
  const isListed = entries.get(list.id)?.has(entryKey(list.orgId, path, contentHash)) === true;
  return isListed && isCovered(list.scope, alert);
}

/** Only with all its occurrences: whatever happens to the file after the window asks for attention. */
export function isPlanned(revisions: WindowRevisions, alert: AlertMoment): boolean {
  const spans = spansOf(revisions, (scope) => isCovered(scope, alert));
  return spans.some(({ from, to }) => from <= alert.timestamp && alert.lastTimestamp < to);
}
