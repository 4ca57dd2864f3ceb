/** The dashboard (decisions 7 and 10, specification 9): everything that depends on the time is computed when read. */
import type { Alert, Dashboard } from '@sentinel-node/contracts';
import { shownAlerts } from '../alerts/index.ts';
import type { QueryContext } from '../context.ts';
import { readEvents } from '../events/index.ts';
import { VIEWS, viewsOf, type AlertView, type FileView } from '../views/index.ts';
import type { Activity } from './activity.ts';
import { activeAlerts } from './recent-alerts.ts';
import type { Summaries } from './summaries.ts';

const NEWEST_EVENTS = 10;
const NEWEST_ALERTS = 3;
/** Alerts that are read at first: those of deleted files are between them. */
const FIRST_STEP_DOCUMENTS = 20;

export type DashboardContext = Pick<QueryContext, 'store' | 'clock'> & {
  readonly summaries: Pick<Summaries, 'summary' | 'deviceCounts'>;
};

export async function readDashboard(
  context: DashboardContext,
  hours: Activity,
  orgId: string,
): Promise<Dashboard> {
  const { store } = context;
  const [organization, { events }, alerts, summary, activity] = await Promise.all([
    store.get(VIEWS.organizations, orgId),
    readEvents(context, { orgId }, { limit: NEWEST_EVENTS }),
    newestAlerts(context, orgId),
    context.summaries.summary(orgId),
    hours.read(orgId, context.clock.now()),
  ]);
  return { events, stripeIdSet: (organization?.stripeId ?? null) !== null, ...summary, alerts, activity };
}

async function newestAlerts(
  { store, clock }: Pick<QueryContext, 'store' | 'clock'>,
  orgId: string,
): Promise<Alert[]> {
  const newest: AlertView[] = [];
  for await (const alerts of activeAlerts(store, { orgId }, FIRST_STEP_DOCUMENTS)) {
    const fileIds = alerts.map(({ fileId }) => fileId);
    const files = await viewsOf<FileView>(store, VIEWS.files, fileIds);
    newest.push(...alerts.filter(({ fileId }) => files.get(fileId)?.deleted === false));
    if (newest.length >= NEWEST_ALERTS) break;
  }
  return (await shownAlerts({ store, clock }, { items: newest.slice(0, NEWEST_ALERTS) })).alerts;
}
