/** Alerts: lists, export, handling and sharing. Other features take what they need of alerts from here. */
import type { Feature } from '../http/feature.ts';
import { alertRoutes } from './routes.ts';
import { sharedAlertRoutes } from './shared-routes.ts';
import type { AlertContext } from './turn-off.ts';

export { claimOutbox } from './claim.ts';
export { alertOperations } from './operations.ts';
export { alertView, shownAlerts } from './read-alerts.ts';
export { sharedAlertOrganization } from './share.ts';
export { SHARE_DAYS_COLLECTION, SHARES_COLLECTION, sharesRevisions } from './shares.ts';
export { alertSignal, Signals } from './signals.ts';
export type { AlertContext } from './turn-off.ts';

export const alerts: Feature<AlertContext> = async (app, context) => {
  alertRoutes(app, context);
  sharedAlertRoutes(app, context);
};
