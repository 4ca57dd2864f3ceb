/**
 * Number of newest measurements used for the rate: a quota's initial burst says little about the later rate.
 */
const KEPT_MEASUREMENTS = 7;

/** Computes the rate of work from its newest measurements. */
export class Pace {
  readonly #measurements: { readonly at: number; readonly done: number }[] = [];

  /** Adds a measurement. @param at time in ms @param done units done so far */
  addMeasurement(at: number, done: number): void {
    this.#measurements.push({ at, done });
    if (this.#measurements.length > KEPT_MEASUREMENTS) this.#measurements.shift();
  }

  /** Returns units per second; undefined before the second measurement. */
  get perSecond(): number | undefined {
    const [first, last] = [this.#measurements[0], this.#measurements.at(-1)];
    if (first === undefined || last === undefined || last.at <= first.at) return undefined;
    return ((last.done - first.done) * 1_000) / (last.at - first.at);
  }

  /** Returns the rate and the time left until `total`, as text. */
  describe(total: number): string {
    const { perSecond } = this;
    const done = this.#measurements.at(-1)?.done ?? 0;
    if (perSecond === undefined || perSecond <= 0) return 'none at the moment, time left unknown';
    const rate = perSecond < 10 ? perSecond.toFixed(1) : perSecond.toFixed(0);
    return `${rate} a second, about ${Math.ceil(Math.max(0, total - done) / perSecond)} s to go`;
  }
}
