export type { QueryDeps } from './deps.ts';
export { publishLeftovers } from './leftovers.ts';
export { createQuery, type QueryService } from './service.ts';
export { projectorService, type Projector } from './projector.ts';
export {
  applyOps,
  LOG_START,
  rebuildViews,
  replayViews,
  VIEW_COLLECTIONS,
  viewSourceEnds,
  type LogEnds,
  type ViewOp,
} from './views/index.ts';
