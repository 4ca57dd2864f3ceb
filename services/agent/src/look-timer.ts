/** Turns of looks at one file: one at a time, the next in its interval or as soon as something is to be seen. */
export interface LookTimerOptions {
  /** undefined: the look is over already. */
  readonly look: () => Promise<void> | undefined;
  /** Milliseconds from the end of a look to the next. */
  readonly pauseMs: () => number;
}

export class LookTimer {
  readonly #options: LookTimerOptions;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Infinity;
  #startedAt = -Infinity;
  #looking: Promise<void> | undefined;
  /** Steady ms at which another look is due after the one under way. */
  #againAt = Infinity;
  #stopped = false;

  constructor(options: LookTimerOptions) {
    this.#options = options;
  }

  /** A look in `ms` at the latest. @param gapMs from the start of the last look at the least */
  within(ms: number, gapMs = 0): void {
    const at = Math.max(performance.now() + ms, this.#startedAt + gapMs);
    if (this.#looking !== undefined) this.#againAt = Math.min(this.#againAt, at);
    else if (at < this.#dueAt) this.#plan(at);
  }

  /** Resolves when no look is under way, and none comes. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #plan(at: number): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#dueAt = at;
    this.#timer = setTimeout(() => this.#turn(), Math.max(0, at - performance.now()));
  }

  #turn(): void {
    this.#dueAt = Infinity;
    this.#startedAt = performance.now();
    const looking = this.#options.look();
    if (looking === undefined) return this.#rest();
    this.#looking = looking.finally(() => {
      this.#looking = undefined;
      this.#rest();
    });
  }

  #rest(): void {
    const at = Math.min(performance.now() + this.#options.pauseMs(), this.#againAt);
    this.#againAt = Infinity;
    this.#plan(at);
  }
}
