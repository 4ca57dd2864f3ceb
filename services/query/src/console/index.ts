/** The built console, and what the console asks before anything else. */
import type { Feature } from '../http/feature.ts';
import { consoleConfigRoute } from './config-route.ts';

export { consolePages } from './pages.ts';

export const consoleConfig: Feature = async (app, context) => consoleConfigRoute(app, context);
