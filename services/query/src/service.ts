/** The query service: registry commands, signing in, reads, live updates, and the console's files. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  PURPOSES,
  purposeKey,
  startSweeper,
  type App,
  type Fallback,
  type Repeating,
  type Service,
} from '@sentinel-node/platform';
import type { QueryDeps } from './deps.ts';
import { accessCheck, memberCheck } from './http/authenticate.ts';
import { consolePages } from './http/console.ts';
import { developmentRoutes } from './http/dev.ts';
import { deviceRoutes } from './http/devices.ts';
import { fileRoutes } from './http/files.ts';
import { loginRoutes } from './http/login.ts';
import { organizationRoutes } from './http/organizations.ts';
import { registerRateLimits } from './http/rate-limits.ts';
import type { RouteContext } from './http/route-context.ts';
import { securityHeaders, type SecurityHeaders } from './http/security-headers.ts';
import { testRoutes } from './http/test.ts';
import { userRoutes } from './http/users.ts';
import { COMMAND_COLLECTIONS, queryParts, type Parts } from './parts.ts';
import { projectorService } from './projector.ts';
import { authenticator, type Authenticator } from './signin/authenticator.ts';
import { startHousekeeping } from './signin/housekeeping.ts';
import { callerOf } from './signin/person.ts';
import { registerTokens, type Tokens } from './signin/tokens.ts';

export interface QueryService extends Service {
  /** Checks that a member of the path's `orgId` calls and sets `request.caller`; works once `routes` has run. */
  readonly memberAuth: (request: FastifyRequest) => Promise<void>;
  /** Pages of the console, for `HttpShell.setFallback`. */
  readonly fallback: Fallback;
  /** Rejects when a part of the service failed for good. */
  readonly failed: Promise<never>;
}

const DEFAULT_KEY_NUMBER = '1';

/** @throws ConfigError when a part that the configuration names is missing */
export function createQuery(deps: QueryDeps): QueryService {
  const parts = queryParts(deps);
  const projector = projectorService(deps);
  const background = backgroundOf(deps, parts);
  let checkMember: ((request: FastifyRequest) => Promise<void>) | undefined;
  let pages: Fallback | undefined;
  return {
    name: 'query',
    failed: Promise.race([projector.failed, background.failed]),
    routes: async (app) => {
      const shell = app as unknown as App;
      const tokens = await registerTokens(
        app,
        deps.secrets.masterSecret,
        deps.sessionKeyNumber ?? DEFAULT_KEY_NUMBER,
      );
      const authenticating = authenticatorOf(deps, parts, tokens);
      checkMember = memberCheck(authenticating);
      const secure = await securityHeaders(shell, deps.config);
      if (deps.consoleFolder !== undefined) pages = await consolePages(shell, deps.consoleFolder, secure);
      await app.register(async (scope) => {
        const context = { ...parts, tokens, authenticator: authenticating, ...pick(deps) };
        await addRoutes(scope as unknown as App, context, secure);
      });
    },
    memberAuth: async (request) => {
      if (checkMember === undefined) throw new Error('the routes of query are not registered yet');
      await checkMember(request);
    },
    fallback: async (request, reply) => pages?.(request, reply),
    start: async () => {
      await deps.store.ensure(COMMAND_COLLECTIONS);
      await projector.start();
      await background.start();
    },
    stop: async () => {
      await background.stop();
      await projector.stop();
    },
    notReady: () => projector.notReady(),
  };
}

const pick = ({ config, store }: QueryDeps): Pick<QueryDeps, 'config' | 'store'> => ({ config, store });

function authenticatorOf(
  { store, secrets }: QueryDeps,
  { sessions, commands: { reservations } }: Parts,
  tokens: Tokens,
): Authenticator {
  return authenticator({
    tokens,
    sessions,
    xsrfKey: purposeKey(secrets.masterSecret, PURPOSES.xsrf),
    callerOf: (session) => callerOf({ store, reservations }, session),
  });
}

async function addRoutes(app: App, context: RouteContext, secure: SecurityHeaders): Promise<void> {
  const plain = app as unknown as FastifyInstance;
  for (const name of ['caller', 'session'] as const) {
    if (!app.hasRequestDecorator(name)) app.decorateRequest(name, null);
  }
  plain.addHook('onRoute', ({ config, url }) => {
    if (config?.access === undefined) throw new Error(`the route ${url} does not say who may call it`);
  });
  plain.addHook('onRequest', async (_, reply) => secure(reply));
  plain.addHook('onRequest', accessCheck(context.authenticator));
  await registerRateLimits(app, context.config.limits);
  await developmentRoutes(app, context);
  await plain.register(
    async (scope) => {
      const api = scope as unknown as App;
      for (const routes of [
        loginRoutes,
        organizationRoutes,
        userRoutes,
        deviceRoutes,
        fileRoutes,
        testRoutes,
      ])
        routes(api, context);
    },
    { prefix: '/api/v1' },
  );
}

interface Background {
  readonly failed: Promise<never>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Commits that were not published, mails, what has run out. */
function backgroundOf({ store, clock, timers }: QueryDeps, { mail, commits }: Parts): Background {
  let running: readonly Repeating[] = [];
  let fail: (error: unknown) => void;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  failed.catch(() => undefined);
  return {
    failed,
    start: async () => {
      running = [
        await startSweeper(commits, clock, timers),
        mail.start(),
        startHousekeeping(store, clock, timers),
      ];
      for (const repeating of running) repeating.failed.catch((error: unknown) => fail(error));
    },
    stop: async () => {
      await Promise.all(running.map((repeating) => repeating.stop()));
      await mail.stop();
    },
  };
}
