import { DashboardSchema } from '@sentinel-node/contracts';
import type { App } from '@sentinel-node/platform';
import { readDashboard } from '../reads/index.ts';
import { orgParams } from './params.ts';
import type { ReadRoutesDeps } from './read-context.ts';

export function dashboardRoutes(app: App, { reads }: ReadRoutesDeps): void {
  app.get('/dashboard/:orgId', {
    config: { access: 'member' },
    schema: { tags: ['Dashboard'], params: orgParams, response: { 200: DashboardSchema } },
    handler: async ({ params }) => readDashboard(reads, params.orgId),
  });
}
