/** Notices that the clock by which times were stamped was ahead, and keeps which times it gave (decision 085). */
import type { Clock } from '../ports/ambient.ts';
import { collectionOf, type DocumentStore } from '../ports/document-store.ts';
import { saveIfCurrent } from '../ports/save-if-current.ts';
import type { Log } from '../logging/log.ts';
import type { Repeating, Timers } from '../ambient/timers.ts';

/** Times (ms) of a clock that was ahead: those after `since` and up to `until` may be no times at which something happened. */
export interface ClockAhead {
  /** When it was noticed, by the clock that was put right. */
  readonly since: number;
  readonly until: number;
}

interface ClockMark {
  readonly id: string;
  readonly rev: number;
  /** Highest time (ms) that a process of this installation had. */
  readonly highest: number;
  readonly since?: number;
  readonly until?: number;
}

export const CLOCK_COLLECTION = { name: collectionOf<ClockMark>('clock_marks'), indexes: [] } as const;

const ID = 'clock';
/** Clocks of processes differ by as much without anything being wrong, and a step back of less changes nothing. */
const SKEW_MS = 300_000;
const EXCHANGE_MS = 2_000;
/** The stored time is older by as much before it is written again. */
const TELL_MS = 10_000;
/** A process may have stamped times up to this later than the stored one. */
const UNTOLD_MS = TELL_MS + 2 * EXCHANGE_MS;
/** Revisions rise by 1 in this time (ms) while the clock is behind them, so that the clock catches up with them. */
const MS_PER_REVISION = 1_000;

export async function readClockAhead(store: Pick<DocumentStore, 'get'>): Promise<ClockAhead | undefined> {
  return aheadOf(await store.get(CLOCK_COLLECTION.name, ID));
}

function aheadOf(mark: ClockMark | undefined): ClockAhead | undefined {
  return mark?.since === undefined || mark.until === undefined
    ? undefined
    : { since: mark.since, until: mark.until };
}

/** Returns the time (ms), or when the clock that gave it was found to be ahead: what it stamped had happened by then. */
export const heardBy = (at: number, ahead: ClockAhead | undefined): number =>
  ahead !== undefined && at > ahead.since && at <= ahead.until ? ahead.since : at;

export interface ClockWatchOptions {
  readonly store: Pick<DocumentStore, 'ensure' | 'get' | 'insertUnique' | 'update'>;
  readonly clock: Clock;
  readonly timers: Pick<Timers, 'every'>;
  readonly log: Log;
  /** Milliseconds of a clock that never goes back; default: the process's. */
  readonly elapsed?: () => number;
}

/** Processes tell each other of their clocks through the store, so that one finds after a restart what it had before. */
export class ClockWatch {
  readonly #options: ClockWatchOptions;
  readonly #elapsed: () => number;
  #highest = 0;
  #ahead: ClockAhead | undefined;
  /** The clocks when `#ahead` was found or read. */
  #found = { now: 0, elapsed: 0 };
  #isUntold = false;
  #isFailing = false;
  #repeating: Repeating | undefined;

  constructor(options: ClockWatchOptions) {
    this.#options = options;
    this.#elapsed = options.elapsed ?? ((): number => performance.now());
  }

  get ahead(): ClockAhead | undefined {
    return this.#ahead;
  }

  /** Takes the time of the clock now (ms) and returns a revision: the time, or above those that a clock ahead gave. */
  revision(nowMs: number): number {
    this.#see(nowMs);
    const ahead = this.#ahead;
    if (ahead === undefined) return nowMs;
    const risen = Math.max(0, Math.floor((nowMs - ahead.since) / MS_PER_REVISION));
    return Math.max(nowMs, ahead.until + 1 + risen);
  }

  async start(): Promise<void> {
    const { store, timers } = this.#options;
    await store.ensure([CLOCK_COLLECTION]);
    await this.#tryExchange();
    // `#tryExchange` never rejects.
    this.#repeating = timers.every(EXCHANGE_MS, () => this.#tryExchange());
  }

  /** Does not wait for an exchange under way, which can hang together with its store. */
  stop(): Promise<void> {
    void this.#repeating?.stop();
    return Promise.resolve();
  }

  #see(nowMs: number): void {
    const ahead = this.#ahead;
    if (nowMs + SKEW_MS < this.#highest && (ahead === undefined || this.#highest > ahead.until)) {
      const goesOn = ahead !== undefined && nowMs <= ahead.until;
      const since = goesOn ? ahead.since : nowMs;
      this.#take({ since, until: this.#highest + UNTOLD_MS }, nowMs);
      this.#isUntold = true;
      const { log } = this.#options;
      const until = new Date(this.#highest).toISOString();
      if (!goesOn)
        log.error(
          { until },
          'the clock went back, or that of another process is ahead: contacts up to that time count as of now',
        );
    }
    this.#highest = Math.max(this.#highest, nowMs);
    if (ahead === undefined || nowMs <= ahead.until || !this.#wasBehind(nowMs)) return;
    // The clock was behind, not ahead: the times that it had before were right.
    this.#ahead = undefined;
    this.#isUntold = true;
  }

  /** Returns whether the clock went on by far more than the time that passed. */
  #wasBehind(nowMs: number): boolean {
    const { now, elapsed } = this.#found;
    return nowMs - now > SKEW_MS && this.#elapsed() - elapsed < (nowMs - now) / 2;
  }

  #take(ahead: ClockAhead | undefined, nowMs: number): void {
    const held = this.#ahead;
    if (ahead?.since !== held?.since || ahead?.until !== held?.until)
      this.#found = { now: nowMs, elapsed: this.#elapsed() };
    this.#ahead = ahead;
  }

  async #tryExchange(): Promise<void> {
    try {
      await this.#exchange();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing)
        this.#options.log.warn({ err: error }, 'the time is not compared with that of other processes');
      this.#isFailing = true;
    }
  }

  async #exchange(): Promise<void> {
    const { store, clock } = this.#options;
    const held = await store.get(CLOCK_COLLECTION.name, ID);
    const nowMs = clock.now();
    this.#highest = Math.max(this.#highest, held?.highest ?? 0);
    if (!this.#isUntold) this.#take(aheadOf(held), nowMs);
    this.#see(nowMs);
    const isKnown = held !== undefined && held.highest + TELL_MS > this.#highest && !this.#isUntold;
    if (isKnown) return;
    const mark = { id: ID, rev: (held?.rev ?? 0) + 1, highest: this.#highest, ...this.#ahead };
    if (await saveIfCurrent(store, CLOCK_COLLECTION.name, mark, held?.rev)) this.#isUntold = false;
  }
}
