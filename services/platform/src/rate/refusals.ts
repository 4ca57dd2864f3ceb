import type { ApiError } from '../http/api-error.ts';
import type { Clock } from '../ports/ambient.ts';
import { addressKey } from './address-key.ts';
import { rateLimited } from './rate-limited.ts';
import { RateLimiter } from './rate-limiter.ts';

const SECONDS_PER_MINUTE = 60;

export interface RefusalsOptions {
  /** Calls a minute for each address. */
  readonly perMinute: number;
  readonly clock: Clock;
}

/**
 * Counts calls that are refused for a bad token or key, by address. Only refused calls count and are limited: callers
 * with a valid key behind the same address (a proxy, a NAT) are served as usual.
 * @poolKind
 */
export class Refusals {
  readonly #limiter: RateLimiter;

  constructor({ perMinute, clock }: RefusalsOptions) {
    const limit = { perSecond: perMinute / SECONDS_PER_MINUTE, burst: perMinute };
    this.#limiter = new RateLimiter({ limit, clock });
  }

  /** Returns the answer: `refusal`, or RATE_LIMITED when the address had too many. */
  answer(ip: string, refusal: ApiError): ApiError {
    const taken = this.#limiter.take(addressKey(ip));
    return taken.allowed ? refusal : rateLimited(this.#limiter.limit, taken);
  }

  /** Returns whether another refusal would be RATE_LIMITED. */
  areTooMany(ip: string): boolean {
    return !this.#limiter.peek(addressKey(ip)).allowed;
  }
}
