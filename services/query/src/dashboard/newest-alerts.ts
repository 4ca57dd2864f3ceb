/** Finds the alerts that the dashboard names (section 9 of the specification). */
import type { DocumentStore } from '@sentinel-node/platform';
import { idPrefixOf } from '../lists/page.ts';
import { VIEWS, viewsOf, type AlertView, type FileView } from '../views/index.ts';
import { healthSince } from './health-since.ts';
import { NEWEST_ALERTS, OLDER_ALERTS_LOOKED_AT } from './limits.ts';
import { activeAlerts } from './recent-alerts.ts';
import type { Survey } from './summary.ts';

/** Alerts of the first read; some are of deleted files, and are skipped. */
const FIRST_STEP_DOCUMENTS = 2 * NEWEST_ALERTS;

/**
 * Returns the newest of the alerts that the survey counts as active. The survey knows those that health counts, however many
 * newer ones are set aside. Those that last occurred before are read from the store, where they can be among the newest.
 * @param now milliseconds
 */
export async function newestAlerts(
  store: DocumentStore,
  orgId: string,
  { activeAlerts: counted, newestAlerts: ids }: Pick<Survey, 'activeAlerts' | 'newestAlerts'>,
  now: number,
): Promise<AlertView[]> {
  const known = ids.length === 0 ? [] : await store.getMany(VIEWS.alerts, ids);
  let newest = newestOf(known.filter(({ status }) => status === 'ACTIVE'));
  const since = healthSince(now);
  const isWhole = (before: string): boolean =>
    newest.length === NEWEST_ALERTS ? newest.at(-1)!.id >= before : newest.length >= counted;
  const below = idPrefixOf(since);
  if (isWhole(below)) return newest;
  let lookedAt = 0;
  for await (const alerts of activeAlerts(store, { orgId }, FIRST_STEP_DOCUMENTS, below)) {
    const files = await viewsOf<FileView>(
      store,
      VIEWS.files,
      alerts.map(({ fileId }) => fileId),
    );
    const older = alerts.filter(
      ({ fileId, lastTimestamp }) => lastTimestamp < since && files.get(fileId)?.deleted === false,
    );
    newest = newestOf([...newest, ...older]);
    lookedAt += alerts.length;
    if (isWhole(alerts.at(-1)!.id) || lookedAt >= OLDER_ALERTS_LOOKED_AT) break;
  }
  return newest;
}

function newestOf(alerts: readonly AlertView[]): AlertView[] {
  const unique = new Map(alerts.map((alert) => [alert.id, alert]));
  return [...unique.values()].sort((one, other) => (one.id < other.id ? 1 : -1)).slice(0, NEWEST_ALERTS);
}
