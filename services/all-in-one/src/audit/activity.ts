/** Milliseconds of a step: a system at work writes a record in most of them. */
const STEP_MS = 600_000;

/**
 * Remembers in which steps of ten minutes the log has records: the time in which a system that is stopped now was at
 * work for certain. While it was stopped, it could not anchor.
 * @boundedBy the age of the log: some 50,000 steps a year
 */
export class Activity {
  readonly #steps = new Set<number>();

  /** @param at time of a record, in milliseconds */
  add(at: number): void {
    this.#steps.add(Math.floor(at / STEP_MS));
  }

  /** Returns how long (ms) the system was at work after a time, in whole steps. */
  after(at: number): number {
    const first = Math.floor(at / STEP_MS);
    let steps = 0;
    for (const step of this.#steps) if (step > first) steps += 1;
    return steps * STEP_MS;
  }
}
