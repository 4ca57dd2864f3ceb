/** Alerts: lists, export, handling and sharing. Other features import from here. */
import type { Feature } from '../http/feature.ts';
import { alertRoutes } from './routes.ts';
import { savedViewRoutes } from './saved-view-routes.ts';
import { sharedAlertRoutes } from './shared-routes.ts';
import { triageRoutes } from './triage-routes.ts';
import type { AlertContext } from './turn-off.ts';

export { claimOutbox } from './claim.ts';
export { KEPT_ALERTS, KeptAlerts } from './kept-alerts.ts';
export { alertOperations } from './operations.ts';
export { alertView, relatedRevisions, shownAlerts } from './read-alerts.ts';
export { forgetSavedViews, SAVED_VIEWS_COLLECTION } from './saved-views.ts';
export { sharedAlertOrganization } from './share.ts';
export { isSharedWith, SHARE_DAYS_COLLECTION, SHARES_COLLECTION } from './shares.ts';
export { alertSignal, Signals } from './signals.ts';
export type { AlertContext } from './turn-off.ts';

export const alerts: Feature<AlertContext> = async (app, context) => {
  alertRoutes(app, context);
  triageRoutes(app, context);
  savedViewRoutes(app, context);
  sharedAlertRoutes(app, context);
};
