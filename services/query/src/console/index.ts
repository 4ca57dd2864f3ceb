/** The built console and its configuration. */
import type { Feature } from '../http/feature.ts';
import { consoleConfigRoute } from './config-route.ts';

export { consolePages } from './pages.ts';

export const consoleConfig: Feature = async (app, context) => consoleConfigRoute(app, context);
