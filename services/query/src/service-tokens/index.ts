/** Service tokens, with which programs call the API. */
import type { QueryContext } from '../context.ts';
import type { Feature } from '../http/feature.ts';
import { serviceTokenRoutes } from './routes.ts';
import type { TokenUses } from './uses.ts';

export { isWithin } from './device-limits.ts';
export { ServiceTokenCallers } from './callers.ts';
export { serviceTokenOperations } from './operations.ts';
export { SERVICE_TOKEN_USES_COLLECTION, TokenUses } from './uses.ts';

export interface ServiceTokenContext extends QueryContext {
  readonly tokenUses: TokenUses;
}

export const serviceTokens: Feature<ServiceTokenContext> = async (app, context) =>
  serviceTokenRoutes(app, context);
