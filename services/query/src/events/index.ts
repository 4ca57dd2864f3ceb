/** Lists and exports of events. Other features import from here. */
import type { Feature } from '../http/feature.ts';
import { eventRoutes } from './routes.ts';

export { eventOperations } from './operations.ts';
export { eventsById, readEvents } from './read-events.ts';

export const events: Feature = async (app, context) => eventRoutes(app, context);
