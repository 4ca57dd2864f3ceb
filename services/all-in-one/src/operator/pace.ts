/** Looks of the past that a rate is taken from: what a quota lets pass at first says little about later. */
const KEPT_LOOKS = 7;

/** How fast work goes, by its newest looks. */
export class Pace {
  readonly #looks: { readonly at: number; readonly done: number }[] = [];

  /** @param at milliseconds @param done of the whole work */
  look(at: number, done: number): void {
    this.#looks.push({ at, done });
    if (this.#looks.length > KEPT_LOOKS) this.#looks.shift();
  }

  /** Units a second; undefined before the second look. */
  get perSecond(): number | undefined {
    const [first, last] = [this.#looks[0], this.#looks.at(-1)];
    if (first === undefined || last === undefined || last.at <= first.at) return undefined;
    return ((last.done - first.done) * 1_000) / (last.at - first.at);
  }

  /** For a person: the rate, and how long it takes to come to `total`. */
  words(total: number): string {
    const { perSecond } = this;
    const done = this.#looks.at(-1)?.done ?? 0;
    if (perSecond === undefined || perSecond <= 0) return 'none at the moment, time left unknown';
    const rate = perSecond < 10 ? perSecond.toFixed(1) : perSecond.toFixed(0);
    return `${rate} a second, about ${Math.ceil(Math.max(0, total - done) / perSecond)} s to go`;
  }
}
