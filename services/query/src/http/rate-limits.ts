import fastifyRateLimit from '@fastify/rate-limit';
import { ERRORS } from '@sentinel-node/contracts';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { addressKey, ApiError, type App, type Config, plainInstance } from '@sentinel-node/platform';
import type { EarlyRefusals } from './early-refusals.ts';

const WINDOW_MS = 60_000;
const UNAUTHENTICATED = ERRORS.UNAUTHENTICATED.status;
/** The most callers that are counted; above that the least recent caller is forgotten. */
export const CALLERS_REMEMBERED = 20_000;

type RateLimit = Exclude<NonNullable<FastifyContextConfig['rateLimit']>, false>;

/** Counts a call with the others of its caller and of the caller's organisation. @throws ApiError RATE_LIMITED */
export type RateCheck = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Counts the calls of a user, or of an address without a user, together, unless a route has its own limit; and those of all
 * people and programs of an organisation. `early` refuses further calls before the caller is read from the store.
 * @returns the same check for a route of another service, to be called once the caller is known
 * @pool calls
 */
export async function registerRateLimits(
  app: App,
  limits: Config['limits'],
  early: EarlyRefusals,
): Promise<RateCheck> {
  await app.register(fastifyRateLimit, {
    max: ({ caller }: FastifyRequest) =>
      caller?.serviceToken === undefined ? limits.userCallsPerMinute : limits.tokenCallsPerMinute,
    timeWindow: WINDOW_MS,
    cache: CALLERS_REMEMBERED,
    enableDraftSpec: true,
    keyGenerator: callerKey,
    errorResponseBuilder: (request, { max, ttl }) => {
      if (request.routeOptions.config.rateLimit === undefined) early.useUp(request, max, ttl);
      return new ApiError('RATE_LIMITED', { retryAfterSeconds: Math.max(1, Math.ceil(ttl / 1_000)) });
    },
  });
  const plain = plainInstance(app);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- declared as a hook, which waits for nothing but these two
  const countCaller = plain.rateLimit() as unknown as RateCheck;
  // After the limits of callers, which are checked by `onRequest` of each route.
  plain.addHook('preParsing', async (request) => early.count(request));
  plain.addHook('onResponse', async (request, { statusCode }) => {
    if (statusCode === UNAUTHENTICATED) early.forget(request);
  });
  return async (request, reply) => {
    await countCaller.call(plain, request, reply);
    early.count(request);
  };
}

const callerKey = ({ caller, ip }: FastifyRequest): string =>
  caller === null ? `address ${addressKey(ip)}` : `user ${caller.userId}`;

export const perAddress = (max: number): RateLimit => ({
  max,
  timeWindow: WINDOW_MS,
  keyGenerator: ({ ip }) => addressKey(ip),
});
export const perUser = (max: number): RateLimit => ({ max, timeWindow: WINDOW_MS, keyGenerator: callerKey });
