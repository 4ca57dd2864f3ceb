import type { ApiError } from '../http/api-error.ts';
import type { Clock } from '../ports/ambient.ts';
import { addressKey } from './address-key.ts';
import { rateLimited } from './rate-limited.ts';
import { RateLimiter } from './rate-limiter.ts';

const SECONDS_PER_MINUTE = 60;

export interface RefusalsOptions {
  /** Calls a minute and an address. */
  readonly perMinute: number;
  readonly clock: Clock;
}

/**
 * Calls refused because their token or key is not good, counted by address. Only what is refused counts and is told to
 * wait: whoever has a good one behind the same address (a proxy, a NAT) is served as ever.
 * @poolKind
 */
export class Refusals {
  readonly #limiter: RateLimiter;

  constructor({ perMinute, clock }: RefusalsOptions) {
    const limit = { perSecond: perMinute / SECONDS_PER_MINUTE, burst: perMinute };
    this.#limiter = new RateLimiter({ limit, clock });
  }

  /** What the caller is answered: `refusal`, or RATE_LIMITED when its address had too many. */
  answer(ip: string, refusal: ApiError): ApiError {
    const taken = this.#limiter.take(addressKey(ip));
    return taken.allowed ? refusal : rateLimited(this.#limiter.limit, taken);
  }

  /** Another refusal would be RATE_LIMITED. */
  areTooMany(ip: string): boolean {
    return this.#limiter.remaining(addressKey(ip)) < 1;
  }
}
