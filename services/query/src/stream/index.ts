/** The live stream. */
import type { Feature } from '../http/feature.ts';
import type { StreamHub } from './hub.ts';
import { streamRoute } from './routes.ts';

export * from './event-id.ts';
export * from './hub.ts';
export * from './limits.ts';
export * from './metrics.ts';
export { streamOperations } from './operations.ts';

export const stream: Feature<{ readonly hub: StreamHub }> = async (app, { hub }) => streamRoute(app, hub);
