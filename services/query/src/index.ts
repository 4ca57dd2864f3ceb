export type { QueryDeps } from './deps.ts';
export { publishLeftovers } from './leftovers.ts';
export { QUERY_COLLECTIONS } from './collections.ts';
export { heldReservations, organizationOf, type HeldReservation } from './people/index.ts';
export { RESERVATIONS_COLLECTION, type Reservation } from './storage/reservations.ts';
export { createQuery, type QueryService } from './service.ts';
export { projectorService, type Projector } from './views/projector.ts';
export {
  applyOps,
  LOG_START,
  readAnchorRecord,
  readRegistryRecord,
  rebuildViews,
  replayViews,
  VIEW_COLLECTIONS,
  VIEW_SOURCES,
  VIEW_TOPICS,
  VIEWS,
  viewSourceEnds,
  type LogEnds,
  type ViewName,
  type ViewOp,
  type ViewWriter,
} from './views/index.ts';
