import type { Due, Schedule } from './schedule.ts';

/** Whose turns they are. */
export interface Looker {
  /** undefined: the look is over already. */
  look(): Promise<void> | undefined;
  /** Milliseconds from the end of a look to the next. */
  pauseMs(): number;
}

/** Turns of looks at one file: one at a time, the next in its interval or as soon as something is to be seen. */
export class LookTimer implements Due {
  readonly #looker: Looker;
  readonly #schedule: Schedule;
  /** Of the schedule; undefined: nothing is planned. */
  #planned: number | undefined;
  #dueAt = Infinity;
  #startedAt = -Infinity;
  #looking: Promise<void> | undefined;
  /** Steady ms at which another look is due after the one under way. */
  #againAt = Infinity;
  #stopped = false;

  constructor(looker: Looker, schedule: Schedule) {
    this.#looker = looker;
    this.#schedule = schedule;
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

  /** For the schedule. */
  turn(): void {
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
    const at = Math.min(performance.now() + this.#looker.pauseMs(), this.#againAt);
    this.#againAt = Infinity;
    this.#plan(at);
  }
}
