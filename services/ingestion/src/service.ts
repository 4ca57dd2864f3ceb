import { COLLECTIONS } from '@sentinel-node/contracts';
import { STREAMS_COLLECTION, type Repeating, type Service } from '@sentinel-node/platform';
import { createCore, type IngestionDeps } from './core.ts';
import { agentRoutes } from './http/agent-routes.ts';

/** Reports, heartbeats and configuration of agents under /api/v1. */
export function createIngestion(deps: IngestionDeps): Service {
  const core = createCore(deps);
  let paced: Repeating | undefined;
  return {
    name: 'ingestion',
    routes: (app) => agentRoutes(app, core),
    start: async () => {
      await deps.store.ensure([STREAMS_COLLECTION, { name: COLLECTIONS.fileStates, indexes: [] }]);
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
