/** A bucket that holds `burst` tokens and gains `perSecond` of them a second. */
export interface BucketLimit {
  readonly perSecond: number;
  readonly burst: number;
}

export interface Bucket {
  readonly tokens: number;
  /** Time of the last update, in milliseconds since the Unix epoch. */
  readonly at: number;
}

export interface Taken {
  readonly bucket: Bucket;
  readonly allowed: boolean;
  /** Whole tokens left. */
  readonly remaining: number;
  /**
   * Milliseconds until the same call would be allowed; 0 when it was allowed, Infinity when it costs more than `burst`.
   */
  readonly retryAfterMs: number;
}

/** Tolerance for rounding, so that a caller that waited as told does not have to wait again. */
const TOLERANCE = 1e-6;

export const fullBucket = (limit: BucketLimit, now: number): Bucket => ({ tokens: limit.burst, at: now });

/**
 * Returns the bucket after a cost that is known only once it has arisen: it may owe tokens, `burst` of them at most, and gives none
 * until it has gained them.
 */
export function chargeTokens(bucket: Bucket, limit: BucketLimit, now: number, cost: number): Bucket {
  const { tokens } = takeTokens(bucket, limit, now, 0).bucket;
  return { tokens: Math.max(-limit.burst, tokens - cost), at: now };
}

/** Takes `cost` tokens if the bucket has them, otherwise none. A clock that goes back adds nothing. */
export function takeTokens(bucket: Bucket, limit: BucketLimit, now: number, cost = 1): Taken {
  const gained = (Math.max(0, now - bucket.at) / 1_000) * limit.perSecond;
  const tokens = Math.min(limit.burst, bucket.tokens + gained);
  const allowed = tokens + TOLERANCE >= cost;
  const left = allowed ? Math.max(0, tokens - cost) : tokens;
  const missing = cost > limit.burst ? Infinity : Math.max(0, cost - left);
  return {
    bucket: { tokens: left, at: now },
    allowed,
    remaining: Math.max(0, Math.floor(left)),
    retryAfterMs: allowed ? 0 : Math.ceil((missing / limit.perSecond) * 1_000 - TOLERANCE),
  };
}
