import {
  ActivityQuerySchema,
  ActivitySchema,
  DashboardSchema,
  DeviceCountsSchema,
  type Activity,
  type Dashboard,
  type DeviceCounts,
} from '@sentinel-node/contracts';
import { SharedReads, type App } from '@sentinel-node/platform';
import { orgParams } from '../http/params.ts';
import { ActivityCounts } from './activity.ts';
import { readActivity } from './read-activity.ts';
import { readDashboard, type DashboardContext } from './read-dashboard.ts';

export function dashboardRoute(app: App, context: DashboardContext): void {
  const activity = new ActivityCounts(context.store);
  // The dashboard is the same for every member, so members share reads.
  const reads = new SharedReads<Dashboard>();
  app.get('/dashboard/:orgId', {
    config: { access: 'member' },
    schema: { tags: ['Dashboard'], params: orgParams, response: { 200: DashboardSchema } },
    handler: ({ params: { orgId } }) => reads.read(orgId, () => readDashboard(context, activity, orgId)),
  });

  const counts = new SharedReads<DeviceCounts>();
  app.get('/dashboard/:orgId/devices', {
    config: { access: 'member', deviceLimit: 'answer' },
    schema: { tags: ['Dashboard'], params: orgParams, response: { 200: DeviceCountsSchema } },
    handler: async ({ params: { orgId }, within }) => {
      const { devices } = await counts.read(orgId, () => context.summaries.deviceCounts(orgId));
      return { devices: devices.filter(({ id }) => within?.has(id) ?? true) };
    },
  });

  const days = new SharedReads<Activity>();
  app.get('/dashboard/:orgId/activity', {
    config: { access: 'member' },
    schema: {
      tags: ['Dashboard'],
      params: orgParams,
      querystring: ActivityQuerySchema,
      response: { 200: ActivitySchema },
    },
    handler: ({ params: { orgId }, query }) =>
      days.read(`${orgId} ${query.period} ${query.timeZone ?? ''}`, () =>
        readActivity(context, activity, { orgId, ...query }),
      ),
  });
}
