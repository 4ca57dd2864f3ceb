/** Factor between the upper ends of two consecutive buckets. */
const GROWTH = 1.05;
/** Upper end of the first bucket, in ms. */
const SMALLEST_MS = 0.1;
/** Number of buckets; the last one takes all times above about an hour and a half. */
const BUCKETS = 365;

/** Quantiles in ms, at most 5 % too high; `max` is exact. null without a measurement. */
export interface LatencySummary {
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}

/** Counts times in buckets, so that memory does not grow with their number. */
export class Latencies {
  readonly #counts = new Uint32Array(BUCKETS);
  #count = 0;
  #max = 0;

  add(ms: number): void {
    const bucket = Math.ceil(Math.log(Math.max(ms, SMALLEST_MS) / SMALLEST_MS) / Math.log(GROWTH));
    this.#counts[Math.min(bucket, BUCKETS - 1)]! += 1;
    this.#count += 1;
    this.#max = Math.max(this.#max, ms);
  }

  summary(): LatencySummary {
    if (this.#count === 0) return { p50: null, p95: null, p99: null, max: null };
    return { p50: this.#quantile(0.5), p95: this.#quantile(0.95), p99: this.#quantile(0.99), max: this.#max };
  }

  /** Returns the upper end of the quantile's bucket, at most the longest time. */
  #quantile(part: number): number {
    const wanted = Math.ceil(part * this.#count);
    let seen = 0;
    const bucket = this.#counts.findIndex((count) => (seen += count) >= wanted);
    return bucket === BUCKETS - 1 ? this.#max : Math.min(this.#max, SMALLEST_MS * GROWTH ** bucket);
  }
}
