/** Parts for development only: a wallet that signs in anybody, and a page with the unsent mails. */
import type { Feature } from '../http/feature.ts';
import { type DevelopmentContext, developmentRoutes } from './routes.ts';

export type { DevelopmentContext } from './routes.ts';
export { developmentWallet, type DevelopmentWallet } from './wallet.ts';

export const development: Feature<DevelopmentContext> = async (app, context) =>
  developmentRoutes(app, context);
