import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import {
  ApiError,
  CountedCache,
  rateLimited,
  RateLimiter,
  WaitClock,
  type Clock,
} from '@sentinel-node/platform';
import { tokenOf } from './caller.ts';

const MS_PER_SECOND = 1_000;
const SECONDS_PER_MINUTE = 60;

/** The facts of a token from its last call. */
interface KnownToken {
  readonly orgId: string | null;
  /** Calls a minute that its caller has used up; undefined when the caller has calls left. */
  readonly usedUp?: { readonly limit: number; readonly until: number };
}

export interface EarlyRefusalsOptions {
  /** Calls a minute of the people and programs of one organisation. */
  readonly organizationCallsPerMinute: number;
  readonly clock: Clock;
  /** The most tokens and organisations; above that the least recently used is forgotten. */
  readonly remembered: number;
}

/**
 * Counts calls by organisation, and refuses a call of a caller or an organisation that has used up its calls before anything
 * is read from the store: otherwise each refused call would cost the store as much as finding out who calls.
 * @pool known-tokens
 */
export class EarlyRefusals {
  readonly #clock: Clock;
  readonly #known: CountedCache<string, KnownToken>;
  /** @pool calls */
  readonly #organizations: RateLimiter;
  /** @boundedBy the requests under way */
  readonly #counted = new WeakSet<FastifyRequest>();

  constructor({ organizationCallsPerMinute, clock, remembered }: EarlyRefusalsOptions) {
    this.#clock = new WaitClock(clock);
    this.#known = new CountedCache(remembered);
    const perSecond = organizationCallsPerMinute / SECONDS_PER_MINUTE;
    const limit = { perSecond, burst: organizationCallsPerMinute };
    this.#organizations = new RateLimiter({ limit, clock, maxKeys: remembered });
  }

  get used(): number {
    return this.#known.size;
  }

  /** Call before the caller is known. @throws ApiError RATE_LIMITED */
  check(request: FastifyRequest): void {
    const { access, rateLimit } = request.routeOptions.config;
    const key = access === 'public' ? undefined : keyOf(request);
    const known = key === undefined ? undefined : this.#known.get(key);
    if (known === undefined) return;
    const leftMs = (known.usedUp?.until ?? 0) - this.#clock.now();
    // A route with a limit of its own does not count with the other calls of its caller.
    if (known.usedUp !== undefined && leftMs > 0 && rateLimit === undefined)
      throw usedUp(known.usedUp.limit, leftMs);
    if (known.orgId !== null) this.#count(request, known.orgId);
  }

  /** Call when the caller is known and has calls left. @throws ApiError RATE_LIMITED */
  count(request: FastifyRequest): void {
    const orgId = request.caller?.orgId ?? null;
    if (orgId === null || this.#counted.has(request)) return;
    this.#know(request, { orgId });
    this.#count(request, orgId);
  }

  /** Remembers that the caller has used up its calls. @param leftMs until its next minute, in milliseconds */
  useUp(request: FastifyRequest, limit: number, leftMs: number): void {
    const until = this.#clock.now() + leftMs;
    this.#know(request, { orgId: request.caller?.orgId ?? null, usedUp: { limit, until } });
  }

  /** Call when the token of a call was refused: it must not use up the calls of an organisation. */
  forget(request: FastifyRequest): void {
    const key = keyOf(request);
    if (key !== undefined) this.#known.delete(key);
  }

  #know(request: FastifyRequest, known: KnownToken): void {
    const key = request.caller === null ? undefined : keyOf(request);
    if (key !== undefined) this.#known.set(key, known);
  }

  #count(request: FastifyRequest, orgId: string): void {
    this.#counted.add(request);
    const taken = this.#organizations.take(orgId);
    if (!taken.allowed)
      throw rateLimited(
        this.#organizations.limit,
        taken,
        'The people and programs of the organization call more than they may.',
      );
  }
}

/**
 * Returns 429 with the RateLimit headers.
 * @boundedBy nothing: it words the refusal of a rate limit
 */
function usedUp(limit: number, leftMs: number): ApiError {
  const seconds = Math.max(1, Math.ceil(leftMs / MS_PER_SECOND));
  return new ApiError('RATE_LIMITED', {
    retryAfterSeconds: seconds,
    headers: {
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(seconds),
    },
  });
}

/** Returns a digest, so that no token lies in memory. */
function keyOf(request: FastifyRequest): string | undefined {
  const token = tokenOf(request);
  return token === undefined ? undefined : createHash('sha256').update(token).digest('base64');
}
