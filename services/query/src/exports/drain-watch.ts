export interface DrainLimits {
  readonly leastBytesPerSecond: number;
  readonly windowMs: number;
}

const MS_PER_SECOND = 1_000;

/**
 * Finds a client that takes what it asked for too slowly. Only the time counts in which data waited for the client:
 * a store that takes long is not the client's fault. Times are monotonic milliseconds.
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

  /** Data waits for the client. */
  offered(now: number): void {
    this.#waitsSince = now;
  }

  /** The client has taken what waited. */
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
