/** Finds the alerts that windows or lists set aside (decision 059). */
import type { DocumentStore } from '@sentinel-node/platform';
import { idPrefixOf } from '../lists/page.ts';
import { isExpected, isPlanned, type AlertMoment, type ListEntries } from '../registry/set-aside.ts';
import { type AlertView, type ExpectedView, type MaintenanceView, VIEWS } from '../views/index.ts';
import { asksForLabels, contentsOf, describedOf, reportedOf, type AlertSources } from './moments.ts';
import { entriesOf } from './expected-entries.ts';
import { timeOf, viewsOfTime } from './views-of-time.ts';

/** The fields of an alert that decide its mark. */
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
 * Returns which mark sets the alert aside; null when none does. Health, the count of active alerts and notifications
 * leave such alerts out. A reviewed window sets nothing aside, so alerts that its review left open need attention
 * again.
 */
export function setAsideBy({ planned, expected }: Mark): 'planned' | 'expected' | null {
  if (expected !== null) return 'expected';
  return planned !== null && planned.review === null ? 'planned' : null;
}

/** Returns the lower bound of the ids of alerts that a window or a list can cover. */
export const coveredFrom = (view: MaintenanceView | ExpectedView): string => idPrefixOf(view.creationDate);

/** Returns the marks of alerts of one organisation, by alert id; alerts without a mark are left out. */
export async function marksOf(
  store: DocumentStore,
  alerts: readonly MarkedAlert[],
): Promise<Map<string, Mark>> {
  const marks = await marksOfStates(store, alerts);
  return new Map(
    alerts.flatMap(({ id }, at) => {
      const mark = marks[at];
      return mark === undefined ? [] : [[id, mark] as const];
    }),
  );
}

/**
 * Returns the mark of each state of alerts of one organisation, in their order, undefined without one. An alert may be
 * there several times, with more and more occurrences.
 */
export async function marksOfStates(
  store: DocumentStore,
  alerts: readonly MarkedAlert[],
  sources?: AlertSources,
): Promise<readonly (Mark | undefined)[]> {
  const time = timeOf(alerts);
  if (time === undefined) return [];
  const [windows, lists] = await Promise.all([
    viewsOfTime<MaintenanceView>(store, VIEWS.maintenance, time),
    viewsOfTime<ExpectedView>(store, VIEWS.expected, time),
  ]);
  if (windows.length + lists.length === 0) return [];
  const needsMore = lists.length > 0 || asksForLabels(windows, lists);
  const [described, hashes] = await Promise.all([
    needsMore ? describedOf(store, alerts) : undefined,
    lists.length > 0 ? contentsOf(store, alerts, sources?.contents) : undefined,
  ]);
  const moments = alerts.map((alert): AlertMoment => {
    const { labels = [], path = null } = described?.get(alert.id) ?? {};
    return { ...alert, labels, path, contentHash: hashes?.get(alert.hashId) ?? null };
  });
  const entries = await entriesOf(store, time.orgId, lists, moments);
  const isListed = (moment: AlertMoment): boolean => lists.some((list) => isExpected(list, entries, moment));
  // Only of these alerts, because a report can be long.
  const listed = alerts.flatMap(({ id, fileId, hashId }, at) => {
    const { contentHash } = moments[at]!;
    return isListed(moments[at]!) ? [{ id, fileId, hashId, contentHash }] : [];
  });
  const reported = await reportedOf(store, listed, sources);
  return moments.map((moment, at) => {
    const reportedHashes = reported.get(alerts[at]!.id);
    const mark = markOf(
      reportedHashes === undefined ? moment : { ...moment, reportedHashes },
      windows,
      lists,
      entries,
    );
    return mark === NO_MARK ? undefined : mark;
  });
}

/**
 * Returns the mark of one alert. Pure.
 * @param windows candidates, oldest first; of several that match, the oldest counts. The same holds for `lists`
 * @param entries entries of these lists, at least those that match the alert
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
