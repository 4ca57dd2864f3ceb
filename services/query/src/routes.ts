/** Every route of the service, with what holds for all of them. */
import type { FastifyInstance } from 'fastify';
import type { App } from '@sentinel-node/platform';
import { accessCheck } from './http/authenticate.ts';
import { consoleConfigRoute } from './http/console-config.ts';
import { developmentRoutes } from './http/dev.ts';
import { deviceRoutes } from './http/devices.ts';
import { fileRoutes } from './http/files.ts';
import { loginRoutes } from './http/login.ts';
import { organizationRoutes } from './http/organizations.ts';
import { registerRateLimits, type RateCheck } from './http/rate-limits.ts';
import type { ReadRoutesDeps } from './http/read-context.ts';
import { readRoutes } from './http/read-routes.ts';
import type { RouteContext } from './http/route-context.ts';
import type { SecurityHeaders } from './http/security-headers.ts';
import { testRoutes } from './http/test.ts';
import { userRoutes } from './http/users.ts';

const COMMAND_ROUTES = [loginRoutes, organizationRoutes, userRoutes, deviceRoutes, fileRoutes, testRoutes];

/** @returns how calls are counted. @throws Error when a route does not say who may call it */
export async function addRoutes(
  app: App,
  context: RouteContext,
  reading: ReadRoutesDeps,
  secure: SecurityHeaders,
): Promise<RateCheck> {
  const plain = app as unknown as FastifyInstance;
  for (const name of ['caller', 'session'] as const) {
    if (!app.hasRequestDecorator(name)) app.decorateRequest(name, null);
  }
  plain.addHook('onRoute', ({ config, url }) => {
    if (config?.access === undefined) throw new Error(`the route ${url} does not say who may call it`);
  });
  plain.addHook('onRequest', async (_, reply) => secure(reply));
  plain.addHook('onRequest', accessCheck(context.authenticator));
  const countCall = await registerRateLimits(app, context.config.limits);
  consoleConfigRoute(app, context);
  await developmentRoutes(app, context);
  await plain.register(
    async (scope) => {
      const api = scope as unknown as App;
      // Answers are for one person, at this moment.
      api.addHook('onRequest', async (_, reply) => void reply.header('cache-control', 'no-store'));
      for (const routes of COMMAND_ROUTES) routes(api, context);
      readRoutes(api, reading);
    },
    { prefix: '/api/v1' },
  );
  return countCall;
}
