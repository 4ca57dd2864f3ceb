/** Which alerts are set aside, and by what (decision 059). */
import type { DocumentStore } from '@sentinel-node/platform';
import { idPrefixOf } from '../lists/page.ts';
import { isExpected, isPlanned, type AlertMoment, type ListEntries } from '../registry/set-aside.ts';
import { type AlertView, type ExpectedView, type MaintenanceView, VIEWS } from '../views/index.ts';
import { asksForLabels, contentsOf, describedOf } from './moments.ts';
import { entriesOf } from './expected-entries.ts';
import { timeOf, viewsOfTime } from './views-of-time.ts';

/** What of an alert decides. */
export type MarkedAlert = Pick<
  AlertView,
  | 'id'
  | 'orgId'
  | 'deviceId'
  | 'fileId'
  | 'type'
  | 'timestamp'
  | 'lastTimestamp'
  | 'occurrences'
  | 'hashId'
  | 'attributeChanges'
>;

export interface Mark {
  readonly planned: Pick<MaintenanceView, 'id' | 'reason' | 'review'> | null;
  readonly expected: Pick<ExpectedView, 'id' | 'reason'> | null;
}
const NO_MARK: Mark = { planned: null, expected: null };

/**
 * Such an alert is neither in health nor among the active ones, nor told: what the review of a window leaves open asks for
 * attention again. null: it is not set aside.
 */
export function setAsideBy({ planned, expected }: Mark): 'planned' | 'expected' | null {
  if (expected !== null) return 'expected';
  return planned !== null && planned.review === null ? 'planned' : null;
}

/** What the ids of alerts are not below that a window or a list could cover. */
export const coveredFrom = (view: MaintenanceView | ExpectedView): string => idPrefixOf(view.creationDate);

/**
 * By id, of alerts of one organisation; those that nothing covers are left out.
 * @param contents hashes by the id of their link, where they are known before the view of the link
 */
export async function marksOf(
  store: DocumentStore,
  alerts: readonly MarkedAlert[],
  contents?: ReadonlyMap<string, string | null>,
): Promise<Map<string, Mark>> {
  const marks = new Map<string, Mark>();
  const time = timeOf(alerts);
  if (time === undefined) return marks;
  const [windows, lists] = await Promise.all([
    viewsOfTime<MaintenanceView>(store, VIEWS.maintenance, time),
    viewsOfTime<ExpectedView>(store, VIEWS.expected, time),
  ]);
  if (windows.length + lists.length === 0) return marks;
  const needsMore = lists.length > 0 || asksForLabels(windows, lists);
  const [described, hashes] = await Promise.all([
    needsMore ? describedOf(store, alerts) : undefined,
    contents ?? (lists.length > 0 ? contentsOf(store, alerts) : undefined),
  ]);
  const moments = alerts.map((alert): AlertMoment => {
    const { labels = [], path = null } = described?.get(alert.id) ?? {};
    return { ...alert, labels, path, contentHash: hashes?.get(alert.hashId) ?? null };
  });
  const entries = await entriesOf(store, time.orgId, lists, moments);
  for (const [at, { id }] of alerts.entries()) {
    const mark = markOf(moments[at]!, windows, lists, entries);
    if (mark !== NO_MARK) marks.set(id, mark);
  }
  return marks;
}

/**
 * Pure: the mark of one alert. @param windows and lists that could cover it; of several the one that was made first counts
 * @param entries of these lists, those of the alert at least
 */
export function markOf(
  alert: AlertMoment,
  windows: readonly MaintenanceView[],
  lists: readonly ExpectedView[],
  entries: ListEntries,
): Mark {
  const planned = windows.find(({ revisions }) => isPlanned(revisions, alert)) ?? null;
  const expected = lists.find((list) => isExpected(list, entries, alert)) ?? null;
  return planned === null && expected === null ? NO_MARK : { planned, expected };
}
