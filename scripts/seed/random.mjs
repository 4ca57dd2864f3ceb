/** Numbers that follow from a seed (mulberry32, Tommy Ettinger, public domain). Not for secrets. */
export class Random {
  #state;

  /** @param {number} seed 32 bits */
  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** Returns a number from 0 to below 1. */
  share() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a whole number from 0 to below `count`. */
  below(count) {
    return Math.floor(this.share() * count);
  }

  /** Returns true in `share` of the cases. */
  chance(share) {
    return this.share() < share;
  }

  pick(items) {
    return items[this.below(items.length)];
  }

  /** Returns `count` different items, or all items when there are fewer. */
  some(items, count) {
    const left = [...items];
    return Array.from({ length: Math.min(count, left.length) }, () => {
      const at = this.below(left.length);
      const [item] = left.splice(at, 1, left.at(-1));
      left.pop();
      return item;
    });
  }
}
