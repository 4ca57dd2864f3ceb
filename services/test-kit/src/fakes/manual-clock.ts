import type { Clock } from '@sentinel-node/platform';

/** A clock that stands still until a test moves it. Milliseconds since the Unix epoch. */
export class ManualClock implements Clock {
  #now: number;

  constructor(now: number = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }

  set(now: number): void {
    this.#now = now;
  }
}
