/** The query service: registry commands, signing in, reads, live updates, and the console's files. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  PURPOSES,
  purposeKey,
  Refusals,
  type App,
  type Fallback,
  type Service,
} from '@sentinel-node/platform';
import { backgroundOf } from './background.ts';
import type { QueryDeps } from './deps.ts';
import { memberCheck } from './http/authenticate.ts';
import { consolePages } from './http/console.ts';
import { securityHeaders } from './http/security-headers.ts';
import { registerOpenApi } from './openapi/document.ts';
import { openApiRoutes } from './openapi/routes.ts';
import { COMMAND_COLLECTIONS, queryParts, type Parts } from './parts.ts';
import { projectorService } from './projector.ts';
import { EVIDENCE_COLLECTIONS } from './proofs/index.ts';
import { ALERT_COLLECTIONS, readingOf, type Reading } from './reading.ts';
import { addRoutes } from './routes.ts';
import { authenticator, type Authenticator } from './signin/authenticator.ts';
import { Members } from './signin/members.ts';
import { callersOf } from './signin/person.ts';
import { registerTokens, type Tokens } from './signin/tokens.ts';

export interface QueryService extends Service {
  /**
   * For a route of another service: checks that a member of the path's `orgId` calls, sets `request.caller`, and does
   * what every route of query does. Works once `routes` has run.
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

/** What exists once the routes are registered. */
interface Registered {
  readonly authenticator: Authenticator;
  readonly memberAuth: MemberAuth;
  readonly pages: Fallback | undefined;
}

/** Of the document that describes the API; rises with the API. */
const API_VERSION = '1.0.0';

export function createQuery(deps: QueryDeps): QueryService {
  const parts = queryParts(deps);
  const projector = projectorService(deps);
  let registered: Registered | undefined;
  const present = (): Registered => {
    if (registered === undefined) throw new Error('the routes of query are not registered yet');
    return registered;
  };
  const reading = readingOf(deps, parts, async (tokens) =>
    (await present().authenticator.authenticateAll(tokens)).map((signedIn) => signedIn?.caller),
  );
  const background = backgroundOf(deps, parts, reading);
  const failed = Promise.race([projector.failed, background.failed]);
  failed.catch(() => undefined);
  return {
    name: 'query',
    failed,
    routes: async (app) => {
      registered = await register(app, deps, parts, reading);
    },
    memberAuth: (request, reply) => present().memberAuth(request, reply),
    fallback: async (request, reply) => registered?.pages?.(request, reply),
    endStreams: () => reading.hub.endAll(),
    start: async () => {
      if (parts.developmentWallet !== undefined)
        deps.log.warn('the development wallet is on: anyone who reaches it can sign in as anyone');
      await deps.store.ensure([...COMMAND_COLLECTIONS, ...ALERT_COLLECTIONS, ...EVIDENCE_COLLECTIONS]);
      await parts.sessions.endAllBefore(deps.config.sessionKeyNumber);
      await projector.start();
      await background.start();
    },
    stop: async () => {
      await background.stop();
      await projector.stop();
    },
    notReady: () => [...projector.notReady(), ...(reading.hub.isFollowing ? [] : ['live updates'])],
  };
}

async function register(
  app: FastifyInstance,
  deps: QueryDeps,
  parts: Parts,
  reading: Reading,
): Promise<Registered> {
  const { config, store, secrets, consoleFolder } = deps;
  const shell = app as unknown as App;
  await registerOpenApi(shell, API_VERSION);
  const tokens = await registerTokens(app, secrets.masterSecret, config.sessionKeyNumber);
  const authenticator = authenticatorOf(deps, parts, tokens);
  const secure = await securityHeaders(shell, config);
  const pages = consoleFolder === undefined ? undefined : await consolePages(shell, consoleFolder, secure);
  await app.register(async (scope) => openApiRoutes(scope as unknown as App, secure));
  const context = { ...parts, config, store, tokens, authenticator };
  const checkMember = memberCheck(authenticator);
  let memberAuth: MemberAuth | undefined;
  await app.register(async (scope) => {
    const countCall = await addRoutes(scope as unknown as App, context, reading.routes, secure);
    memberAuth = async (request, reply) => {
      await secure(reply);
      await checkMember(request);
      await countCall(request, reply);
    };
  });
  return { authenticator, memberAuth: memberAuth!, pages };
}

function authenticatorOf(
  { store, secrets, config, clock }: QueryDeps,
  { sessions, commands: { reservations } }: Parts,
  tokens: Tokens,
): Authenticator {
  const members = new Members(store);
  return authenticator({
    tokens,
    sessions,
    refusals: new Refusals({ perMinute: config.limits.userCallsPerMinute, clock }),
    xsrfKey: purposeKey(secrets.masterSecret, PURPOSES.xsrf),
    callersOf: (present) => callersOf({ members, reservations }, present),
  });
}
