export type { IngestionDeps } from './core.ts';
export { INGESTION_LIMITS, type IngestionLimits } from './limits.ts';
export { INGESTION_COLLECTIONS } from './own-collections.ts';
export { createIngestion } from './service.ts';
