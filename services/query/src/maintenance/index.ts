/** Maintenance windows, lists of expected changes, and the alerts that they set aside. */
import type { QueryContext } from '../context.ts';
import type { Feature } from '../http/feature.ts';
import { expectedOperations } from './expected-operations.ts';
import { expectedRoutes } from './expected-routes.ts';
import { windowOperations } from './operations.ts';
import { maintenanceRoutes } from './routes.ts';

export {
  coveredFrom,
  markOf,
  marksOf,
  marksOfStates,
  setAsideBy,
  type Mark,
  type MarkedAlert,
} from './marks.ts';
export type { AlertSources, LinkContent } from './moments.ts';
export { reviewsOf } from './read-maintenance.ts';

export const maintenanceOperations = { ...windowOperations, ...expectedOperations };

export const maintenance: Feature<QueryContext> = async (app, context) => {
  maintenanceRoutes(app, context);
  expectedRoutes(app, context);
};
