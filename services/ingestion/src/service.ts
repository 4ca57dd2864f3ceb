import { STREAMS_COLLECTION, type Repeating, type Service } from '@sentinel-node/platform';
import { createCore, type IngestionDeps } from './core.ts';
import { FILE_STATES_COLLECTION } from './file-states.ts';
import { agentRoutes } from './http/agent-routes.ts';
import { REFUSED_FILES_COLLECTION } from './own-collections.ts';

/** Interval between two counts of the reports that wait on their way to the views, in milliseconds. */
const COUNT_EVERY_MS = 250;

/** Returns the service for reports, heartbeats and configuration of agents under /api/v1. */
export function createIngestion(deps: IngestionDeps): Service {
  const core = createCore(deps);
  const { backlog, bodies } = core.reports;
  let paced: Repeating | undefined;
  let counting: Repeating | undefined;
  return {
    name: 'ingestion',
    routes: (app) => agentRoutes(app, core),
    start: async () => {
      await deps.store.ensure([STREAMS_COLLECTION, FILE_STATES_COLLECTION, REFUSED_FILES_COLLECTION]);
      paced = deps.timers.every(bodies.pace.tickMs, () => Promise.resolve(bodies.pace.tick()));
      if (backlog.isLimited) counting = deps.timers.every(COUNT_EVERY_MS, () => backlog.count());
      await core.clockWatch.start();
      await core.refusedFiles.start();
      await core.healthFollower.start();
      await core.freshness.start();
    },
    stop: async () => {
      // A count is not waited for, because it can hang together with its broker.
      void counting?.stop();
      await Promise.all([
        core.clockWatch.stop(),
        core.refusedFiles.stop(),
        core.freshness.stop(),
        core.healthFollower.stop(),
        paced?.stop(),
      ]);
    },
    notReady: () => (core.follower.isFollowing ? [] : ['registry news']),
  };
}
