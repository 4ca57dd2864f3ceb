/** Events: lists and export. Other features take what they need of events from here. */
import type { Feature } from '../http/feature.ts';
import { eventRoutes } from './routes.ts';

export { eventOperations } from './operations.ts';
export { eventsById, readEvents } from './read-events.ts';

export const events: Feature = async (app, context) => eventRoutes(app, context);
