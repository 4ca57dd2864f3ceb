/** Enrolment tokens, and the devices that agents make with them. */
import type { DeviceContext } from '../devices/index.ts';
import type { Feature } from '../http/feature.ts';
import { enrolmentRoutes } from './routes.ts';

export { enrolmentOperations } from './operations.ts';
export { ENROLMENT_COUNTS_COLLECTION, ENROLMENT_USES_COLLECTION } from './uses.ts';

export const enrolments: Feature<DeviceContext> = async (app, context) => enrolmentRoutes(app, context);
