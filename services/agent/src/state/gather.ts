/** Wait of a change for further ones, in ms; longer when writes are slow. */
const GATHER_MS = 5;
/** Wait of a write as a multiple of the last write's time, so that writes block the event loop a third of the time. */
const WAIT_SHARE = 2;
/** Longest wait of a change, in ms. */
const GATHER_MAX_MS = 100;
/** Number of changes that are written without a wait. */
const MANY = 1_000;

interface Waiting<T> {
  readonly change: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Gathers many changes into few writes, in order of arrival. */
export class Gather<T> {
  readonly #write: (changes: readonly T[]) => void;
  /** @boundedBy one change a file of the configuration, or answers of one request */
  #waiting: Waiting<T>[] = [];
  #timer: NodeJS.Timeout | undefined;
  #tookMs = 0;

  /** @param write makes all changes durable, or none */
  constructor(write: (changes: readonly T[]) => void) {
    this.#write = write;
  }

  /** Adds a change. Resolves when it is durable. @throws the write's error */
  add(change: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ change, resolve, reject });
      if (this.#waiting.length >= MANY) this.flush();
      else this.#timer ??= setTimeout(() => this.flush(), this.#waitMs());
    });
  }

  #waitMs(): number {
    return Math.min(GATHER_MAX_MS, Math.max(GATHER_MS, this.#tookMs * WAIT_SHARE));
  }

  /** Returns whether `holds` is true for a waiting change. */
  has(holds: (change: T) => boolean): boolean {
    return this.#waiting.some(({ change }) => holds(change));
  }

  /** Writes the waiting changes now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    const startedAt = performance.now();
    try {
      this.#write(waiting.map(({ change }) => change));
    } catch (error) {
      for (const { reject } of waiting) reject(error);
      return;
    } finally {
      this.#tookMs = performance.now() - startedAt;
    }
    for (const { resolve } of waiting) resolve();
  }
}
