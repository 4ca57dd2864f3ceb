import type { Due, Schedule } from './schedule.ts';

/** The task whose looks the timer plans. */
export interface Looker {
  /** Looks once. @returns undefined when the look has already ended */
  look(): Promise<void> | undefined;
  /** Returns the ms from the end of a look to the next. */
  pauseMs(): number;
}

/** Plans the looks at one file: one at a time, the next after the pause or earlier on request. */
export class LookTimer implements Due {
  readonly #looker: Looker;
  readonly #schedule: Schedule;
  /** The schedule's number of the planned look; undefined without a plan. */
  #planned: number | undefined;
  #dueAt = Infinity;
  #startedAt = -Infinity;
  #looking: Promise<void> | undefined;
  /** Steady time of a requested look after the current one, in ms. */
  #againAt = Infinity;
  #stopped = false;

  constructor(looker: Looker, schedule: Schedule) {
    this.#looker = looker;
    this.#schedule = schedule;
  }

  /** Plans a look within `ms`. @param gapMs least time from the start of the last look */
  planWithin(ms: number, gapMs = 0): void {
    const at = Math.max(performance.now() + ms, this.#startedAt + gapMs);
    if (this.#looking !== undefined) this.#againAt = Math.min(this.#againAt, at);
    else if (at < this.#dueAt) this.#plan(at);
  }

  /** Cancels the planned look. Resolves when the current look has ended, which a hanging disk may delay for ever. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unplan();
    await this.#looking;
  }

  #plan(at: number): void {
    if (this.#stopped) return;
    this.#unplan();
    this.#dueAt = at;
    this.#planned = this.#schedule.plan(this, at);
  }

  #unplan(): void {
    if (this.#planned !== undefined) this.#schedule.cancel(this, this.#planned);
    this.#planned = undefined;
  }

  /** Starts the look, for the schedule. */
  run(): void {
    this.#planned = undefined;
    this.#dueAt = Infinity;
    this.#startedAt = performance.now();
    const looking = this.#looker.look();
    if (looking === undefined) return this.#rest();
    this.#looking = looking.finally(() => {
      this.#looking = undefined;
      this.#rest();
    });
  }

  #rest(): void {
    // A look that was requested before the current one had begun to wait is planned already.
    const at = Math.min(performance.now() + this.#looker.pauseMs(), this.#againAt, this.#dueAt);
    this.#againAt = Infinity;
    this.#plan(at);
  }
}
