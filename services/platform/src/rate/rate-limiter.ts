import type { Clock } from '../ports/ambient.ts';
import {
  chargeTokens,
  fullBucket,
  takeTokens,
  type Bucket,
  type BucketLimit,
  type Taken,
} from './token-bucket.ts';

export interface RateLimiterOptions {
  readonly limit: BucketLimit;
  readonly clock: Clock;
  /** The most remembered keys; the least recently used key is forgotten, and its bucket then counts as full. */
  readonly maxKeys?: number;
}

/** Keys of one limiter, about 150 bytes each. */
export const RATE_LIMITER_KEYS = 100_000;

/**
 * Token buckets by key; the least recently used key is dropped first.
 * @poolKind
 */
export class RateLimiter {
  readonly limit: BucketLimit;
  readonly #buckets = new Map<string, Bucket>();
  readonly #clock: Clock;
  readonly #maxKeys: number;

  constructor(options: RateLimiterOptions) {
    this.limit = options.limit;
    this.#clock = options.clock;
    this.#maxKeys = options.maxKeys ?? RATE_LIMITER_KEYS;
  }

  take(key: string, cost = 1): Taken {
    const taken = this.peek(key, cost);
    this.keep(key, taken);
    return taken;
  }

  /** Returns what `take` would return, and takes nothing. */
  peek(key: string, cost = 1): Taken {
    const now = this.#clock.now();
    return takeTokens(this.#buckets.get(key) ?? fullBucket(this.limit, now), this.limit, now, cost);
  }

  /** Takes what `peek` returned, when nothing was taken in between. */
  keep(key: string, { bucket }: Pick<Taken, 'bucket'>): void {
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > this.#maxKeys) this.#forgetOldest();
  }

  /** Takes tokens for what was done already; the key may then owe some (`chargeTokens`). */
  charge(key: string, cost: number): void {
    const now = this.#clock.now();
    const bucket = chargeTokens(this.#buckets.get(key) ?? fullBucket(this.limit, now), this.limit, now, cost);
    this.keep(key, { bucket });
  }

  get size(): number {
    return this.#buckets.size;
  }

  #forgetOldest(): void {
    const oldest = this.#buckets.keys().next();
    if (oldest.done !== true) this.#buckets.delete(oldest.value);
  }
}
