/** Work that can be planned for one time. */
export interface Due {
  /** Called when due; an exception ends the process. */
  run(): void;
}

/** Step of planned times, in ms. */
const TICK_MS = 10;
/** Longest time to the next wake-up, in steps. */
const AHEAD_TICKS = 100;
/** Most entries to run before the event loop continues. */
const DUE_A_TURN = 32;

/** Clock and timer of a schedule. */
export interface ScheduleTime {
  /** Returns milliseconds of a clock that never goes back. */
  readonly nowMs: () => number;
  /** Calls `act` once, after `ms`. @returns a function that cancels the call */
  readonly after: (ms: number, act: () => void) => () => void;
}

const MACHINE: ScheduleTime = {
  nowMs: () => performance.now(),
  after: (ms, act) => {
    const timer = ms <= 0 ? undefined : setTimeout(act, ms);
    const soon = ms <= 0 ? setImmediate(act) : undefined;
    return () => {
      clearTimeout(timer);
      clearImmediate(soon);
    };
  },
};

/** Plans the looks at all files with one timer: ten thousand timers would take memory and time. */
export class Schedule {
  readonly #time: ScheduleTime;
  /** @boundedBy one entry a file of the configuration */
  readonly #ticks = new Map<number, Set<Due>>();
  /** Last step that has run. */
  #done: number;
  #isBehind = false;
  #wakesAt = Infinity;
  #cancel: () => void = () => undefined;

  constructor(time: ScheduleTime = MACHINE) {
    this.#time = time;
    this.#done = Math.ceil(time.nowMs() / TICK_MS) - 1;
  }

  /** Plans `due`. @param atMs time on the clock of `nowMs` @returns the step, for `cancel` */
  plan(due: Due, atMs: number): number {
    const tick = Math.max(this.#done + 1, Math.ceil(atMs / TICK_MS));
    const others = this.#ticks.get(tick);
    if (others === undefined) this.#ticks.set(tick, new Set([due]));
    else others.add(due);
    if (tick < this.#wakesAt) this.#wakeAt(tick);
    return tick;
  }

  cancel(due: Due, tick: number): void {
    const others = this.#ticks.get(tick);
    others?.delete(due);
    if (others?.size === 0) this.#ticks.delete(tick);
    if (this.#ticks.size === 0) this.#sleep();
  }

  /** Whether more entries were due at the last turn of the event loop than could run in it. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  #wakeAt(tick: number): void {
    this.#cancel();
    this.#wakesAt = tick;
    this.#cancel = this.#time.after(tick * TICK_MS - this.#time.nowMs(), () => this.#wake());
  }

  #sleep(): void {
    this.#cancel();
    this.#wakesAt = Infinity;
  }

  #wake(): void {
    this.#wakesAt = -Infinity; // what an entry plans sets no timer: one is set after all of them
    const now = Math.floor(this.#time.nowMs() / TICK_MS);
    let room = DUE_A_TURN;
    this.#skip(now);
    while (this.#done < now && room > 0) {
      const due = this.#ticks.get(this.#done + 1);
      for (const one of due ?? []) {
        if (room === 0) break;
        room -= 1;
        due?.delete(one);
        one.run();
      }
      if (due !== undefined && due.size > 0) break;
      this.#ticks.delete(this.#done + 1);
      this.#done += 1;
    }
    this.#isBehind = this.#done < now;
    this.#wakesAt = Infinity;
    if (this.#ticks.size > 0) this.#wakeAt(this.#next());
  }

  /** Skips empty steps after a long pause, when there are more steps than entries. */
  #skip(now: number): void {
    if (now - this.#done > this.#ticks.size) this.#done = Math.min(now, Math.min(...this.#ticks.keys()) - 1);
  }

  /** Returns the next step with entries, `AHEAD_TICKS` ahead at most. */
  #next(): number {
    for (let tick = this.#done + 1; tick < this.#done + AHEAD_TICKS; tick += 1)
      if (this.#ticks.has(tick)) return tick;
    return this.#done + AHEAD_TICKS;
  }
}
