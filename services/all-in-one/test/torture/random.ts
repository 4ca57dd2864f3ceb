/** Random numbers of a seed (mulberry32): the same seed gives the same ones. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1). */
  share(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let z = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    z = (z + Math.imul(z ^ (z >>> 7), z | 61)) ^ z;
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` on, below `end`. */
  whole(least: number, end: number): number {
    return least + Math.floor(this.share() * (end - least));
  }

  oneOf<T>(all: readonly T[]): T {
    return all[this.whole(0, all.length)]!;
  }
}
