/** Random numbers from a seed (mulberry32); the same seed gives the same numbers. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number in [0, 1). */
  share(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let z = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    z = (z + Math.imul(z ^ (z >>> 7), z | 61)) ^ z;
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer in [`least`, `end`). */
  whole(least: number, end: number): number {
    return least + Math.floor(this.share() * (end - least));
  }

  oneOf<T>(all: readonly T[]): T {
    return all[this.whole(0, all.length)]!;
  }
}
