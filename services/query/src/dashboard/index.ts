/** The dashboard of an organisation. Other features import from here. */
import type { QueryContext } from '../context.ts';
import type { Feature } from '../http/feature.ts';
import { dashboardRoute } from './routes.ts';
import type { Summaries } from './summaries.ts';

export { CONTACT_HOURS_COLLECTION } from './contact-hours.ts';
export { startContactLooks } from './contact-looks.ts';
export { dashboardOperations } from './operations.ts';
export { Summaries } from './summaries.ts';

export const dashboard: Feature<QueryContext & { readonly summaries: Summaries }> = async (app, context) =>
  dashboardRoute(app, context);
