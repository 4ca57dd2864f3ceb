/** Tests whether the service and its store answer. */
import type { Feature } from '../http/feature.ts';
import { testRoutes } from './routes.ts';

export { selfTestOperations } from './operations.ts';
export { TEST_COLLECTION } from './routes.ts';

export const selfTest: Feature = async (app, context) => testRoutes(app, context);
