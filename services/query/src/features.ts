/** Registers every route of the service, with the hooks that all routes share. */
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
import { EarlyRefusals } from './http/early-refusals.ts';
import { takeReadTurns } from './http/read-turns.ts';
import { tellViewsAge } from './http/views-headers.ts';
import { CALLERS_REMEMBERED, type RateCheck, registerRateLimits } from './http/rate-limits.ts';
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
import type { ViewsAge } from './views/index.ts';
import { webhooks, type WebhookContext } from './webhooks/index.ts';

/** The shared context, plus the parts that single features need. */
export type FeatureContext = AlertContext &
  DeviceContext &
  SignInContext &
  ServiceTokenContext &
  WebhookContext &
  NotificationContext &
  DevelopmentContext & {
    readonly hub: StreamHub;
    readonly summaries: Summaries;
    readonly viewsAge: Pick<ViewsAge, 'word'>;
  };

/** Features below /api/v1 whose reads go to the store; each read waits for a turn of its organisation. */
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
/** Features below /api/v1 whose calls last long or have their own limits. */
const OTHERS: readonly Feature<FeatureContext>[] = [signIn, proofs, stream, selfTest];

/** @returns the check that counts a call against the rate limits. @throws Error when a route declares no `access` */
export async function registerFeatures(app: App, context: FeatureContext): Promise<RateCheck> {
  const plain = plainInstance(app);
  for (const name of ['caller', 'session', 'within', 'isStillAdmitted', 'confirmAdmission'] as const) {
    if (!app.hasRequestDecorator(name)) app.decorateRequest(name, null);
  }
  plain.addHook('onRoute', ({ config, url }) => {
    if (config?.access === undefined) throw new Error(`the route ${url} does not say who may call it`);
  });
  plain.addHook('onRequest', async (_, reply) => setSecurityHeaders(reply));
  const { organizationCallsPerMinute } = context.config.limits;
  const early = new EarlyRefusals({ ...context, organizationCallsPerMinute, remembered: CALLERS_REMEMBERED });
  context.metrics?.pool(QUERY_POOLS['known-tokens'], () => early.used);
  plain.addHook('onRequest', async (request) => early.check(request));
  plain.addHook('onRequest', accessCheck(context.authenticator));
  const bodies = shareBodies(plain);
  context.metrics?.pool(QUERY_POOLS['json-bodies'], () => bodies.used);
  compressAnswers(plain);
  const countCall = await registerRateLimits(app, context.config.limits, early);
  await app.register(consoleConfig, context);
  await app.register(development, context);
  await app.register(
    async (api) => {
      // An answer is valid for one person at one moment only.
      api.addHook('onRequest', async (_, reply) => void reply.header('cache-control', 'no-store'));
      tellViewsAge(plainInstance(api), context.viewsAge);
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
