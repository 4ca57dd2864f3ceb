import { STREAMS_COLLECTION, type Repeating, type Service } from '@sentinel-node/platform';
import { createCore, type IngestionDeps } from './core.ts';
import { FILE_STATES_COLLECTION } from './file-states.ts';
import { agentRoutes } from './http/agent-routes.ts';

/** Returns the service for reports, heartbeats and configuration of agents under /api/v1. */
export function createIngestion(deps: IngestionDeps): Service {
  const core = createCore(deps);
  let paced: Repeating | undefined;
  return {
    name: 'ingestion',
    routes: (app) => agentRoutes(app, core),
    start: async () => {
      await deps.store.ensure([STREAMS_COLLECTION, FILE_STATES_COLLECTION]);
      const { pace } = core.reports.bodies;
      paced = deps.timers.every(pace.tickMs, () => Promise.resolve(pace.tick()));
      await core.freshness.start();
    },
    stop: async () => {
      await Promise.all([core.freshness.stop(), paced?.stop()]);
    },
    notReady: () => (core.follower.isFollowing ? [] : ['registry news']),
  };
}
