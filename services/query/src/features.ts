/** Every route of the service, with what holds for all of them. */
import { plainInstance, type App } from '@sentinel-node/platform';
import { type AlertContext, alerts } from './alerts/index.ts';
import { consoleConfig } from './console/index.ts';
import { dashboard, type Summaries } from './dashboard/index.ts';
import { development, type DevelopmentContext } from './development/index.ts';
import { devices, type DeviceContext } from './devices/index.ts';
import { enrolments } from './enrolments/index.ts';
import { events } from './events/index.ts';
import { compressAnswers } from './http/compression.ts';
import { shareBodies } from './http/body-shares.ts';
import type { Feature } from './http/feature.ts';
import { takeReadTurns } from './http/read-turns.ts';
import { type RateCheck, registerRateLimits } from './http/rate-limits.ts';
import { setSecurityHeaders } from './http/security-headers.ts';
import { notifications, type NotificationContext } from './notifications/index.ts';
import { API_PREFIX } from './openapi/document.ts';
import { maintenance } from './maintenance/index.ts';
import { people } from './people/index.ts';
import { QUERY_POOLS } from './pools.ts';
import { proofs } from './proofs/index.ts';
import { selfTest } from './self-test/index.ts';
import { serviceTokens, type ServiceTokenContext } from './service-tokens/index.ts';
import { accessCheck, signIn, type SignInContext } from './signin/index.ts';
import { stream, type StreamHub } from './stream/index.ts';
import { webhooks, type WebhookContext } from './webhooks/index.ts';

/** The context, and what single features need beside it. */
export type FeatureContext = AlertContext &
  DeviceContext &
  SignInContext &
  ServiceTokenContext &
  WebhookContext &
  NotificationContext &
  DevelopmentContext & { readonly hub: StreamHub; readonly summaries: Summaries };

/** Below /api/v1: features whose reads go to the store and wait for a turn of their organisation. */
const READ_IN_TURNS: readonly Feature<FeatureContext>[] = [
  people,
  devices,
  enrolments,
  serviceTokens,
  webhooks,
  notifications,
  maintenance,
  alerts,
  events,
  dashboard,
];
/** Below /api/v1: features that last long, or have limits of their own. */
const OTHERS: readonly Feature<FeatureContext>[] = [signIn, proofs, stream, selfTest];

/** @returns how calls are counted. @throws Error when a route does not say who may call it */
export async function registerFeatures(app: App, context: FeatureContext): Promise<RateCheck> {
  const plain = plainInstance(app);
  for (const name of ['caller', 'session', 'within'] as const) {
    if (!app.hasRequestDecorator(name)) app.decorateRequest(name, null);
  }
  plain.addHook('onRoute', ({ config, url }) => {
    if (config?.access === undefined) throw new Error(`the route ${url} does not say who may call it`);
  });
  plain.addHook('onRequest', async (_, reply) => setSecurityHeaders(reply));
  plain.addHook('onRequest', accessCheck(context.authenticator));
  const bodies = shareBodies(plain);
  context.metrics?.pool(QUERY_POOLS['json-bodies'], () => bodies.used);
  compressAnswers(plain);
  const countCall = await registerRateLimits(app, context.config.limits);
  await app.register(consoleConfig, context);
  await app.register(development, context);
  await app.register(
    async (api) => {
      // Answers are for one person, at this moment.
      api.addHook('onRequest', async (_, reply) => void reply.header('cache-control', 'no-store'));
      await api.register(async (inTurns) => {
        const turns = takeReadTurns(plainInstance(inTurns));
        context.metrics?.pool(QUERY_POOLS.reads, () => turns.used);
        for (const feature of READ_IN_TURNS) await inTurns.register(feature, context);
      });
      for (const feature of OTHERS) await api.register(feature, context);
    },
    { prefix: API_PREFIX },
  );
  return countCall;
}
