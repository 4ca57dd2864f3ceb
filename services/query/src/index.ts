export type { QueryDeps } from './deps.ts';
export { publishLeftovers } from './leftovers.ts';
export { createQuery, type QueryService } from './service.ts';
export { projectorService, type Projector } from './projector.ts';
export { rebuildViews, VIEW_COLLECTIONS } from './views/index.ts';
