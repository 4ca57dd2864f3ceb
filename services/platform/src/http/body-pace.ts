export interface BodyPaceOptions {
  /** Milliseconds in which a body must deliver its minimum. */
  readonly windowMs: number;
  /** Minimum rate of a body, measured over a window. */
  readonly leastBytesPerSecond: number;
}

interface Watched {
  readonly onSlow: () => void;
  bytes: number;
  ticks: number;
}

export interface WatchedBody {
  received(bytes: number): void;
  /** Ends the watch when the body is complete or given up. Idempotent. */
  done(): void;
}

/** Ticks of one window. A late tick of a busy process only lengthens the window, so no body seems slower than it is. */
const TICKS_PER_WINDOW = 4;
const MS_PER_SECOND = 1_000;

/**
 * Finds bodies that hold memory but hardly progress: a body below the minimum rate over a whole window is slow.
 * Kestrel's `MinRequestBodyDataRate` applies the rate to the whole body; then a body of 16 MiB that came fast could
 * delay its last byte for hours.
 * @poolKind
 */
export class BodyPace {
  /** Interval in milliseconds at which the owner must call `tick`. */
  readonly tickMs: number;
  readonly #leastBytes: number;
  readonly #bodies = new Set<Watched>();

  constructor({ windowMs, leastBytesPerSecond }: BodyPaceOptions) {
    this.tickMs = windowMs / TICKS_PER_WINDOW;
    this.#leastBytes = (leastBytesPerSecond * windowMs) / MS_PER_SECOND;
  }

  /** Number of watched bodies. */
  get size(): number {
    return this.#bodies.size;
  }

  watch(onSlow: () => void): WatchedBody {
    const body: Watched = { onSlow, bytes: 0, ticks: 0 };
    this.#bodies.add(body);
    return {
      received: (bytes) => void (body.bytes += bytes),
      done: () => void this.#bodies.delete(body),
    };
  }

  tick(): void {
    for (const body of this.#bodies) {
      body.ticks += 1;
      // The first tick of a body can come at once, so a whole window needs one more tick.
      if (body.ticks <= TICKS_PER_WINDOW) continue;
      if (body.bytes < this.#leastBytes) {
        this.#bodies.delete(body);
        body.onSlow();
      } else {
        body.bytes = 0;
        body.ticks = 1;
      }
    }
  }
}
