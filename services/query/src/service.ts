/** The query service: registry commands, signing in, reads, live updates, and the console's files. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type App, type Fallback, type Service, plainInstance } from '@sentinel-node/platform';
import { backgroundOf } from './background.ts';
import { NON_VIEWS } from './collections.ts';
import { consolePages } from './console/index.ts';
import type { QueryDeps } from './deps.ts';
import { registerFeatures } from './features.ts';
import type { RateCheck } from './http/rate-limits.ts';
import { securityHeaders, setSecurityHeaders } from './http/security-headers.ts';
import { registerOpenApi } from './openapi/document.ts';
import { openApiRoutes } from './openapi/routes.ts';
import { OPERATIONS } from './operations.ts';
import { composeParts, type Parts } from './parts.ts';
import { ServiceTokenCallers } from './service-tokens/index.ts';
import { type Authenticator, authenticatorOf, memberCheck, registerTokens } from './signin/index.ts';
import { projectorService } from './views/projector.ts';
import { WEBHOOK_MESSAGES } from './webhooks/index.ts';

export interface QueryService extends Service {
  /**
   * Guards a route of another service: checks that the caller is a member of the path's `orgId`, sets `request.caller`
   * and the security headers, and counts the call. Waits until `routes` has run.
   */
  readonly memberAuth: MemberAuth;
  /** Pages of the console, for `HttpShell.setFallback`. */
  readonly fallback: Fallback;
  /** Ends live streams, for `HttpShell.onStopping`. */
  readonly endStreams: () => void;
  /** Rejects when a part of the service failed for good. */
  readonly failed: Promise<never>;
}

/** @throws ApiError UNAUTHENTICATED, NOT_FOUND, RATE_LIMITED */
type MemberAuth = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** The parts that exist only after the routes are registered. */
interface Registered {
  readonly authenticator: Authenticator;
  readonly memberAuth: MemberAuth;
  readonly pages: Fallback | undefined;
}

/** The version of the OpenAPI document; it rises when the API changes. */
const API_VERSION = '1.0.0';

export function createQuery(deps: QueryDeps): QueryService {
  const { promise: registered, resolve } = later<Registered>();
  const parts = composeParts(deps, async () => (await registered).authenticator);
  const projector = projectorService({ ...deps, views: parts.summaries });
  const background = backgroundOf(parts);
  const failed = Promise.race([projector.failed, background.failed]);
  failed.catch(() => undefined);
  return {
    name: 'query',
    failed,
    routes: async (app) => resolve(await register(app, parts)),
    memberAuth: async (request, reply) => (await registered).memberAuth(request, reply),
    fallback: async (request, reply) => (await registered).pages?.(request, reply),
    endStreams: () => parts.hub.endAll(),
    start: async () => {
      if (parts.developmentWallet !== undefined)
        deps.log.warn('the development wallet is on: anyone who reaches it can sign in as anyone');
      await deps.store.ensure(NON_VIEWS);
      await parts.sessions.endAllBefore(deps.config.sessionKeyNumber);
      await projector.start();
      await background.start();
    },
    stop: async () => {
      await background.stop();
      await projector.stop();
      await parts.regexps.stop();
    },
    notReady: () => [...projector.notReady(), ...(parts.hub.isFollowing ? [] : ['live updates'])],
  };
}

async function register(app: App, parts: Parts): Promise<Registered> {
  const { config, secrets, sessions, consoleFolder } = parts;
  await registerOpenApi(app, API_VERSION, OPERATIONS, WEBHOOK_MESSAGES);
  const plain = plainInstance(app);
  const tokens = await registerTokens(plain, secrets.masterSecret, config.sessionKeyNumber);
  const programs = new ServiceTokenCallers(parts.store, parts.clock, parts.tokenUses);
  const authenticator = authenticatorOf(parts, sessions, tokens, programs);
  await securityHeaders(app, config);
  const pages = consoleFolder === undefined ? undefined : await consolePages(app, consoleFolder);
  await app.register(openApiRoutes);
  const counting = later<RateCheck>();
  // A separate scope keeps query's hooks away from the other services in the process.
  await app.register(async (scope) =>
    counting.resolve(await registerFeatures(scope, { ...parts, tokens, authenticator })),
  );
  const countCall = await counting.promise;
  const checkMember = memberCheck(authenticator);
  const memberAuth: MemberAuth = async (request, reply) => {
    await setSecurityHeaders(reply);
    await checkMember(request);
    await countCall(request, reply);
  };
  return { authenticator, memberAuth, pages };
}

/** A promise with its `resolve` function. */
function later<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((given) => (resolve = given));
  return { promise, resolve };
}
