interface Held {
  readonly since: number;
  failingSince: number | undefined;
}

/**
 * Knows for how long a consumer has held what it has in hand, so that one that stands still shows although its process runs.
 * @boundedBy the work under way
 */
export class HeldWork {
  readonly #now: () => number;
  readonly #held = new Set<Held>();

  /** @param now milliseconds of a clock that never goes back; default: the process's */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Runs work, and counts it as held until it ends.
   * @param work calls `failed` for each attempt that failed and is made again; true: it is the first one
   */
  async hold<T>(work: (failed: () => boolean) => Promise<T>): Promise<T> {
    const held: Held = { since: this.#now(), failingSince: undefined };
    this.#held.add(held);
    try {
      return await work(() => {
        const isFirst = held.failingSince === undefined;
        held.failingSince ??= this.#now();
        return isFirst;
      });
    } finally {
      this.#held.delete(held);
    }
  }

  /** Seconds since the oldest work under way began; 0 without any. */
  get heldSeconds(): number {
    return this.#secondsSince([...this.#held].map(({ since }) => since));
  }

  /** Seconds since the first failed attempt of work that has not succeeded yet; 0 without any. */
  get failingSeconds(): number {
    return this.#secondsSince([...this.#held].flatMap(({ failingSince }) => failingSince ?? []));
  }

  #secondsSince(times: readonly number[]): number {
    return times.length === 0 ? 0 : (this.#now() - Math.min(...times)) / 1_000;
  }
}
