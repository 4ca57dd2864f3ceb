/** Something that is due at a time; it can be planned once at a time. */
export interface Due {
  /** Called when it is due; what it throws ends the process. */
  readonly turn: () => void;
}

/** Times are kept in steps of this, in ms. */
const TICK_MS = 10;
/** The timer looks this far ahead, in steps; it comes no more rarely than that. */
const AHEAD_TICKS = 100;
/** What runs before calls and answers have their turn. */
const DUE_A_TURN = 32;

/** Where the time comes from, and the timer. */
export interface ScheduleTime {
  /** Milliseconds that only run forward. */
  readonly nowMs: () => number;
  /** Calls `act` once, after `ms`. @returns takes that back */
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

/** One timer for all files: ten thousand of their own take memory and time. */
export class Schedule {
  readonly #time: ScheduleTime;
  /** @boundedBy one entry a file of the configuration */
  readonly #ticks = new Map<number, Set<Due>>();
  /** Steps up to this one have run. */
  #done: number;
  #wakesAt = Infinity;
  #cancel: () => void = () => undefined;

  constructor(time: ScheduleTime = MACHINE) {
    this.#time = time;
    this.#done = Math.ceil(time.nowMs() / TICK_MS) - 1;
  }

  /** @param atMs as `nowMs` tells it @returns what `cancel` asks for */
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
    this.#wakesAt = Infinity;
    const now = Math.floor(this.#time.nowMs() / TICK_MS);
    let room = DUE_A_TURN;
    this.#skip(now);
    while (this.#done < now && room > 0) {
      const due = this.#ticks.get(this.#done + 1);
      for (const one of due ?? []) {
        if (room === 0) break;
        room -= 1;
        due?.delete(one);
        one.turn();
      }
      if (due !== undefined && due.size > 0) break;
      this.#ticks.delete(this.#done + 1);
      this.#done += 1;
    }
    if (this.#ticks.size > 0) this.#wakeAt(this.#next());
  }

  /** After a long pause there are more steps than entries. */
  #skip(now: number): void {
    if (now - this.#done > this.#ticks.size) this.#done = Math.min(now, Math.min(...this.#ticks.keys()) - 1);
  }

  /** The next step that has something, as far as the timer looks. */
  #next(): number {
    for (let tick = this.#done + 1; tick < this.#done + AHEAD_TICKS; tick += 1)
      if (this.#ticks.has(tick)) return tick;
    return this.#done + AHEAD_TICKS;
  }
}
