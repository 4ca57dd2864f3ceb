/** Each bucket is this much wider than the one before. */
const GROWTH = 1.05;
/** From here on, in ms, times are told apart. */
const SMALLEST_MS = 0.1;
/** The last bucket takes what is longer: about an hour and a half. */
const BUCKETS = 365;

/** Milliseconds, at most 5 % too high; `max` is exact. null: nothing was measured. */
export interface LatencySummary {
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}

/** Counts times in buckets, so that any number of them takes the same room. */
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

  /** The upper end of the bucket in which the quantile lies, never above the longest. */
  #quantile(part: number): number {
    const wanted = Math.ceil(part * this.#count);
    let seen = 0;
    const bucket = this.#counts.findIndex((count) => (seen += count) >= wanted);
    return bucket === BUCKETS - 1 ? this.#max : Math.min(this.#max, SMALLEST_MS * GROWTH ** bucket);
  }
}
