import fastifyRateLimit from '@fastify/rate-limit';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { addressKey, ApiError, type App, type Config, plainInstance } from '@sentinel-node/platform';

const WINDOW_MS = 60_000;
/** Callers that are remembered; the one not heard of longest is forgotten first. */
export const CALLERS_REMEMBERED = 20_000;

type RateLimit = Exclude<NonNullable<FastifyContextConfig['rateLimit']>, false>;

/** Counts a call with the others of its caller. @throws ApiError RATE_LIMITED */
export type RateCheck = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Calls of a user, or of an address without one, are counted together unless a route has its own limit.
 * @returns the same for a route of another service, once it knows who calls
 * @pool calls
 */
export async function registerRateLimits(app: App, limits: Config['limits']): Promise<RateCheck> {
  await app.register(fastifyRateLimit, {
    max: ({ caller }: FastifyRequest) =>
      caller?.serviceToken === undefined ? limits.userCallsPerMinute : limits.tokenCallsPerMinute,
    timeWindow: WINDOW_MS,
    cache: CALLERS_REMEMBERED,
    enableDraftSpec: true,
    keyGenerator: callerKey,
    errorResponseBuilder: (_, { ttl }) =>
      new ApiError('RATE_LIMITED', undefined, undefined, Math.max(1, Math.ceil(ttl / 1_000))),
  });
  const plain = plainInstance(app);
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- declared as a hook, which waits for nothing but these two
  const count = plain.rateLimit() as unknown as RateCheck;
  return (request, reply) => count.call(plain, request, reply);
}

const callerKey = ({ caller, ip }: FastifyRequest): string =>
  caller === null ? `address ${addressKey(ip)}` : `user ${caller.userId}`;

export const perAddress = (max: number): RateLimit => ({
  max,
  timeWindow: WINDOW_MS,
  keyGenerator: ({ ip }) => addressKey(ip),
});
export const perUser = (max: number): RateLimit => ({ max, timeWindow: WINDOW_MS, keyGenerator: callerKey });
