export interface BodyPaceOptions {
  /** Milliseconds in which a body must bring its least share. */
  readonly windowMs: number;
  /** The least that a body brings a second, over a window. */
  readonly leastBytesPerSecond: number;
}

interface Watched {
  readonly onSlow: () => void;
  bytes: number;
  ticks: number;
}

export interface WatchedBody {
  received(bytes: number): void;
  /** The body is here, or given up. Idempotent. */
  done(): void;
}

/** Ticks of one window. A process that was busy for long makes a tick late, and so no body looks slower than it is. */
const TICKS_PER_WINDOW = 4;
const MS_PER_SECOND = 1_000;

/**
 * Finds bodies that hold memory and hardly move: one that brings less than the least rate over a whole window is slow.
 * Kestrel's `MinRequestBodyDataRate` is the same rule over the whole body, under which 16 MiB that came fast could stay
 * away from their last byte for hours.
 * @poolKind
 */
export class BodyPace {
  /** The owner calls `tick` so often. */
  readonly tickMs: number;
  readonly #leastBytes: number;
  readonly #bodies = new Set<Watched>();

  constructor({ windowMs, leastBytesPerSecond }: BodyPaceOptions) {
    this.tickMs = windowMs / TICKS_PER_WINDOW;
    this.#leastBytes = (leastBytesPerSecond * windowMs) / MS_PER_SECOND;
  }

  /** Bodies under way. */
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
      // The first tick of a body can come at once, so a window is whole with one more.
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
