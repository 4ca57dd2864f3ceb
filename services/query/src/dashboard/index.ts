/** The dashboard of an organisation. Other features take what they need of the dashboard from here. */
import type { Feature } from '../http/feature.ts';
import { dashboardRoute } from './routes.ts';

export { dashboardOperations } from './operations.ts';
export { readSummary } from './read-dashboard.ts';

export const dashboard: Feature = async (app, context) => dashboardRoute(app, context);
