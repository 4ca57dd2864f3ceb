/**
 * Newest measurements that a rate is computed from: the burst that a quota allows at first says little about the
 * later rate.
 */
const KEPT_LOOKS = 7;

/** Measures the speed of work by its newest measurements. */
export class Pace {
  readonly #looks: { readonly at: number; readonly done: number }[] = [];

  /** @param at milliseconds @param done part of the whole work */
  look(at: number, done: number): void {
    this.#looks.push({ at, done });
    if (this.#looks.length > KEPT_LOOKS) this.#looks.shift();
  }

  /** Units a second; undefined before the second measurement. */
  get perSecond(): number | undefined {
    const [first, last] = [this.#looks[0], this.#looks.at(-1)];
    if (first === undefined || last === undefined || last.at <= first.at) return undefined;
    return ((last.done - first.done) * 1_000) / (last.at - first.at);
  }

  /** Returns the rate and the time left until `total`, for a person. */
  words(total: number): string {
    const { perSecond } = this;
    const done = this.#looks.at(-1)?.done ?? 0;
    if (perSecond === undefined || perSecond <= 0) return 'none at the moment, time left unknown';
    const rate = perSecond < 10 ? perSecond.toFixed(1) : perSecond.toFixed(0);
    return `${rate} a second, about ${Math.ceil(Math.max(0, total - done) / perSecond)} s to go`;
  }
}
