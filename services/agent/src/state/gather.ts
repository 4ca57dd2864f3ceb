/** Wait of a change for further ones, in ms; longer when writes are slow. */
const GATHER_MS = 5;
/** Pause after a write as a multiple of its time, so that writes block the event loop a third of the time. */
const PAUSE_SHARE = 2;
/** Pause after a write for each of its changes, and at most, in ms: many changes announce more, and a write costs as much as a hundred. */
const PAUSE_A_CHANGE_MS = 1;
const PAUSE_OF_CHANGES_MS = 100;
/** Default of the longest wait of a change, in ms. */
const GATHER_MAX_MS = 250;
/** Number of changes that are written without a wait. */
const MANY = 1_000;

interface Waiting<T> {
  readonly change: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Pauses between the writes of all gathers that share it: ten agents of one process block it no longer than one. */
export class WritePauses {
  #overAt = -Infinity;

  /** Returns the rest of the pause, in ms. */
  get leftMs(): number {
    return Math.max(0, this.#overAt - performance.now());
  }

  /** Begins the pause after a write. @param tookMs time of the write @param changes their number */
  begin(tookMs: number, changes: number): void {
    this.#overAt = Math.max(this.#overAt, performance.now() + pauseAfter(tookMs, changes));
  }
}

/** Returns the pause after a write, in ms. @param tookMs time of the write @param changes their number */
export function pauseAfter(tookMs: number, changes: number): number {
  return Math.max(tookMs * PAUSE_SHARE, Math.min(PAUSE_OF_CHANGES_MS, changes * PAUSE_A_CHANGE_MS));
}

/** Gathers many changes into few writes, in order of arrival. */
export class Gather<T> {
  readonly #write: (changes: readonly T[]) => void;
  /** @boundedBy one change a file of the configuration, or answers of one request */
  #waiting: Waiting<T>[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Time of the oldest waiting change, in ms. */
  #since = 0;
  readonly #pauses: WritePauses;
  readonly #maxMs: number;

  /**
   * @param write makes all changes durable, or none
   * @param maxMs longest wait of a change, in ms
   */
  constructor(
    write: (changes: readonly T[]) => void,
    pauses = new WritePauses(),
    maxMs: number = GATHER_MAX_MS,
  ) {
    this.#write = write;
    this.#pauses = pauses;
    this.#maxMs = maxMs;
  }

  /** Adds a change. Resolves when it is durable. @throws the write's error */
  add(change: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ change, resolve, reject });
      if (this.#waiting.length === 1) this.#since = performance.now();
      if (this.#waiting.length >= MANY) this.flush();
      else this.#timer ??= setTimeout(() => this.#flushAfterPause(), GATHER_MS);
    });
  }

  /** Writes once no pause is left or the oldest change has waited long enough. */
  #flushAfterPause(): void {
    const waitMs = Math.min(this.#pauses.leftMs, this.#since + this.#maxMs - performance.now());
    if (waitMs <= 0) this.flush();
    else this.#timer = setTimeout(() => this.#flushAfterPause(), waitMs);
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
      this.#pauses.begin(performance.now() - startedAt, waiting.length);
    }
    for (const { resolve } of waiting) resolve();
  }
}
