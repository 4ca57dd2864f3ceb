import { COLLECTIONS } from '@sentinel-node/contracts';
import { STREAMS_COLLECTION, type Service } from '@sentinel-node/platform';
import { createCore, type IngestionDeps } from './core.ts';
import { agentRoutes } from './http/agent-routes.ts';

/** Reports, heartbeats and configuration of agents under /api/v1. */
export function createIngestion(deps: IngestionDeps): Service {
  const core = createCore(deps);
  return {
    name: 'ingestion',
    routes: (app) => agentRoutes(app, core),
    start: async () => {
      await deps.store.ensure([STREAMS_COLLECTION, { name: COLLECTIONS.fileStates, indexes: [] }]);
      await core.beat.start();
    },
    stop: () => core.beat.stop(),
    notReady: () => (core.news.following ? [] : ['registry news']),
  };
}
