import type { App } from '@sentinel-node/platform';
import { alertRoutes } from './alerts.ts';
import { chainRoutes } from './chain.ts';
import { dashboardRoutes } from './dashboard.ts';
import { eventRoutes } from './events.ts';
import { proofRoutes } from './proofs.ts';
import type { ReadRoutesDeps } from './read-context.ts';
import { sharedAlertRoutes } from './shared-alerts.ts';
import { streamRoutes } from './stream.ts';

/** Alerts, events, chains, proofs, dashboard and the live stream; the paths are below /api/v1. */
export function readRoutes(app: App, deps: ReadRoutesDeps): void {
  alertRoutes(app, deps);
  sharedAlertRoutes(app, deps);
  eventRoutes(app, deps);
  chainRoutes(app, deps);
  proofRoutes(app, deps);
  dashboardRoutes(app, deps);
  streamRoutes(app, deps);
}
