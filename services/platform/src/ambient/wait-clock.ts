import type { Clock } from '../ports/ambient.ts';

/**
 * Measures waits by a clock that may be set back: its time stands still instead of going back, so that no wait becomes
 * as long as the clock was ahead. Not for times that are stored or compared with those of other processes.
 */
export class WaitClock implements Clock {
  readonly #clock: Clock;
  #last = -Infinity;
  #ahead = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    const now = this.#clock.now();
    this.#ahead = Math.max(this.#ahead, this.#last - now);
    this.#last = now + this.#ahead;
    return this.#last;
  }
}
