/**
 * Reads the dashboard (decisions 7 and 10, specification 9); values that depend on the time are computed on each read.
 */
import type { Alert, Dashboard } from '@sentinel-node/contracts';
import { shownAlerts } from '../alerts/index.ts';
import type { QueryContext } from '../context.ts';
import { readEvents } from '../events/index.ts';
import { marksOf, setAsideBy, windowsToReview } from '../maintenance/index.ts';
import { VIEWS, viewsOf, type AlertView, type FileView } from '../views/index.ts';
import { hourBounds, type ActivityCounts } from './activity.ts';
import { readContact } from './contact-hours.ts';
import { activeAlerts } from './recent-alerts.ts';
import type { Summaries } from './summaries.ts';

const NEWEST_EVENTS = 10;
const NEWEST_ALERTS = 3;
/** Alerts of the first read; some are of deleted files or set aside, and are skipped. */
const FIRST_STEP_DOCUMENTS = 2 * NEWEST_ALERTS;
/** The search stops after this many alerts: on a patch day thousands are set aside. */
const LOOKED_AT = 200;

export type DashboardContext = Pick<QueryContext, 'store' | 'clock'> & {
  readonly summaries: Pick<Summaries, 'summary' | 'deviceCounts'>;
};

export async function readDashboard(
  context: DashboardContext,
  counts: ActivityCounts,
  orgId: string,
): Promise<Dashboard> {
  const { store } = context;
  const now = context.clock.now();
  const [organization, { events }, alerts, summary, activity, contact, toReview] = await Promise.all([
    store.get(VIEWS.organizations, orgId),
    readEvents(context, { orgId }, { limit: NEWEST_EVENTS }),
    newestAlerts(context, orgId),
    context.summaries.summary(orgId),
    counts.hours(orgId, now),
    readContact(store, orgId, hourBounds(now)),
    windowsToReview(store, orgId, now),
  ]);
  const stripeIdSet = (organization?.stripeId ?? null) !== null;
  return { events, stripeIdSet, ...summary, alerts, activity, contact, windowsToReview: toReview };
}

/** Returns the newest alerts that need attention. */
async function newestAlerts(
  { store, clock }: Pick<QueryContext, 'store' | 'clock'>,
  orgId: string,
): Promise<Alert[]> {
  const newest: AlertView[] = [];
  let looked = 0;
  for await (const alerts of activeAlerts(store, { orgId }, FIRST_STEP_DOCUMENTS)) {
    const fileIds = alerts.map(({ fileId }) => fileId);
    const [files, marks] = await Promise.all([
      viewsOf<FileView>(store, VIEWS.files, fileIds),
      marksOf(store, alerts),
    ]);
    const asks = ({ id, fileId }: AlertView): boolean => {
      const mark = marks.get(id);
      return files.get(fileId)?.deleted === false && (mark === undefined || setAsideBy(mark) === null);
    };
    newest.push(...alerts.filter(asks));
    looked += alerts.length;
    if (newest.length >= NEWEST_ALERTS || looked >= LOOKED_AT) break;
  }
  return (await shownAlerts({ store, clock }, { items: newest.slice(0, NEWEST_ALERTS) })).alerts;
}
