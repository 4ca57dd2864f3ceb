import type { Random } from '@sentinel-node/platform';

/**
 * Returns the same bytes for the same seed (xorshift128, seeded by splitmix32). For tests only: the bytes are
 * predictable.
 */
export class SeededRandom implements Random {
  #state: [number, number, number, number];

  constructor(seed = 1) {
    let at = seed >>> 0;
    const next = () => {
      at = (at + 0x9e37_79b9) >>> 0;
      let mixed = Math.imul(at ^ (at >>> 16), 0x21f0_aaad);
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a_2d97);
      return (mixed ^ (mixed >>> 15)) >>> 0;
    };
    this.#state = [next(), next(), next(), next() | 1];
  }

  bytes(length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; at += 4) {
      const word = this.uint32();
      for (let byte = 0; byte < 4 && at + byte < length; byte++) bytes[at + byte] = word >>> (8 * byte);
    }
    return bytes;
  }

  uint32(): number {
    const [a, b, c, d] = this.#state;
    let mixed = d ^ (d << 11);
    mixed = (mixed ^ (mixed >>> 8) ^ a ^ (a >>> 19)) >>> 0;
    this.#state = [mixed, a, b, c];
    return mixed;
  }

  /** Returns an integer in [0, bound). */
  below(bound: number): number {
    return Math.floor((this.uint32() / 0x1_0000_0000) * bound);
  }
}
