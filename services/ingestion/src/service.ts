import { STREAMS_COLLECTION, type Repeating, type Service } from '@sentinel-node/platform';
import { createCore, type IngestionDeps } from './core.ts';
import { FILE_STATES_COLLECTION } from './file-states.ts';
import { agentRoutes } from './http/agent-routes.ts';

/** Interval between two counts of the reports that wait on their way to the views, in milliseconds. */
const COUNT_EVERY_MS = 250;

/** Returns the service for reports, heartbeats and configuration of agents under /api/v1. */
export function createIngestion(deps: IngestionDeps): Service {
  const core = createCore(deps);
  const { pace } = core.reports.bodies;
  const { backlog } = core.reports;
  /** @boundedBy the two that `start` begins */
  let repeating: readonly Repeating[] = [];
  return {
    name: 'ingestion',
    routes: (app) => agentRoutes(app, core),
    start: async () => {
      await deps.store.ensure([STREAMS_COLLECTION, FILE_STATES_COLLECTION]);
      repeating = [
        deps.timers.every(pace.tickMs, () => Promise.resolve(pace.tick())),
        deps.timers.every(COUNT_EVERY_MS, () => backlog.count()),
      ];
      await core.freshness.start();
    },
    stop: async () => {
      await Promise.all([core.freshness.stop(), ...repeating.map((one) => one.stop())]);
    },
    notReady: () => (core.follower.isFollowing ? [] : ['registry news']),
  };
}
