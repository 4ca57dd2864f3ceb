import {
  DashboardSchema,
  DeviceCountsSchema,
  type Dashboard,
  type DeviceCounts,
} from '@sentinel-node/contracts';
import type { App } from '@sentinel-node/platform';
import { orgParams } from '../http/params.ts';
import { SharedReads } from '../lists/shared-reads.ts';
import { Activity } from './activity.ts';
import { readDashboard, type DashboardContext } from './read-dashboard.ts';

export function dashboardRoute(app: App, context: DashboardContext): void {
  const activity = new Activity(context.store);
  // The same for every member.
  const reads = new SharedReads<Dashboard>();
  app.get('/dashboard/:orgId', {
    config: { access: 'member' },
    schema: { tags: ['Dashboard'], params: orgParams, response: { 200: DashboardSchema } },
    handler: ({ params: { orgId } }) => reads.read(orgId, () => readDashboard(context, activity, orgId)),
  });

  const counts = new SharedReads<DeviceCounts>();
  app.get('/dashboard/:orgId/devices', {
    config: { access: 'member' },
    schema: { tags: ['Dashboard'], params: orgParams, response: { 200: DeviceCountsSchema } },
    handler: ({ params: { orgId } }) => counts.read(orgId, () => context.summaries.deviceCounts(orgId)),
  });
}
