import { ApiError } from '../http/api-error.ts';
import type { BucketLimit, Taken } from './token-bucket.ts';

const MS_PER_SECOND = 1_000;

/**
 * Returns 429 with `Retry-After` and the RateLimit headers (draft-ietf-httpapi-ratelimit-headers-05: limit, remaining,
 * reset).
 * @boundedBy nothing: it words the refusal of a rate limiter
 */
export function rateLimited({ burst, perSecond }: BucketLimit, taken: Taken, detail?: string): ApiError {
  const seconds = Math.max(1, Math.ceil(taken.retryAfterMs / MS_PER_SECOND));
  return new ApiError('RATE_LIMITED', {
    detail,
    retryAfterSeconds: seconds,
    headers: {
      'ratelimit-limit': String(burst),
      'ratelimit-remaining': String(taken.remaining),
      'ratelimit-reset': String(Math.ceil((burst - taken.remaining) / perSecond)),
    },
  });
}
