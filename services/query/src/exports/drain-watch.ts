export interface DrainLimits {
  readonly leastBytesPerSecond: number;
  readonly windowMs: number;
}

const MS_PER_SECOND = 1_000;

/**
 * Detects a client that reads an answer too slowly. Only the time in which data waited for the client counts, so a slow
 * store is not held against the client. Times are monotonic milliseconds.
 */
export class DrainWatch {
  readonly #leastBytes: number;
  readonly #windowMs: number;
  readonly #onSlow: () => void;
  #waitedMs = 0;
  #bytes = 0;
  #waitsSince: number | undefined;
  #isSlow = false;

  constructor({ leastBytesPerSecond, windowMs }: DrainLimits, onSlow: () => void) {
    this.#leastBytes = (leastBytesPerSecond * windowMs) / MS_PER_SECOND;
    this.#windowMs = windowMs;
    this.#onSlow = onSlow;
  }

  /** Starts counting: data waits for the client. */
  offered(now: number): void {
    this.#waitsSince = now;
  }

  /** Stops counting: the client took the waiting data. */
  taken(bytes: number, now: number): void {
    this.#count(now);
    this.#waitsSince = undefined;
    this.#bytes += bytes;
    this.#judge();
  }

  look(now: number): void {
    if (this.#waitsSince === undefined) return;
    this.#count(now);
    this.#judge();
  }

  #count(now: number): void {
    this.#waitedMs += now - (this.#waitsSince ?? now);
    this.#waitsSince = now;
  }

  #judge(): void {
    if (this.#waitedMs < this.#windowMs || this.#isSlow) return;
    if (this.#bytes < this.#leastBytes) {
      this.#isSlow = true;
      this.#onSlow();
    }
    this.#waitedMs = 0;
    this.#bytes = 0;
  }
}
