/**
 * Reads the dashboard (section 9 and decisions 7 and 10 of the specification); values that depend on the time are
 * computed on each read.
 */
import type { Dashboard } from '@sentinel-node/contracts';
import { shownAlerts } from '../alerts/index.ts';
import type { QueryContext } from '../context.ts';
import { readEvents } from '../events/index.ts';
import { reviewsOf } from '../maintenance/index.ts';
import { VIEWS } from '../views/index.ts';
import { hourBounds, type ActivityCounts } from './activity.ts';
import { readContact } from './contact-hours.ts';
import { newestAlerts } from './newest-alerts.ts';
import type { Summaries } from './summaries.ts';
import { summaryOf, type Survey } from './summary.ts';

const NEWEST_EVENTS = 10;

export type DashboardContext = Pick<QueryContext, 'store' | 'clock'> & {
  readonly summaries: Pick<Summaries, 'survey' | 'deviceCounts'>;
};

export async function readDashboard(
  context: DashboardContext,
  counts: ActivityCounts,
  orgId: string,
): Promise<Dashboard> {
  const { store } = context;
  const now = context.clock.now();
  const alertsOf = async (survey: Survey) =>
    (await shownAlerts(context, { items: await newestAlerts(store, orgId, survey, now) })).alerts;
  const surveyed = context.summaries.survey(orgId);
  const [organization, { events }, survey, alerts, activity, contact, reviews] = await Promise.all([
    store.get(VIEWS.organizations, orgId),
    readEvents(context, { orgId }, { limit: NEWEST_EVENTS }),
    surveyed,
    surveyed.then(alertsOf),
    counts.hours(orgId, now),
    readContact(store, orgId, hourBounds(now)),
    reviewsOf(store, orgId, now),
  ]);
  const stripeIdSet = (organization?.stripeId ?? null) !== null;
  const summary = summaryOf(survey);
  const { toReview: windowsToReview, ...ends } = reviews;
  return { events, stripeIdSet, ...summary, alerts, activity, contact, windowsToReview, ...ends };
}
