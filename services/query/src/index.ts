export type { QueryDeps } from './deps.ts';
export { createQuery, type QueryService } from './service.ts';
