import type { Random } from '@sentinel-node/platform';
import { NONCE_BYTES, toHex } from '@sentinel-node/contracts';

/** Random bytes of one request to the generator, which serve 512 nonces. */
const POOL_BYTES = 8_192;

/** Makes nonces of records: 16 random bytes each, hex, none used twice. */
export class Nonces {
  readonly #random: Random;
  #pool = '';
  #at = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  next(): string {
    if (this.#at === this.#pool.length) {
      this.#pool = toHex(this.#random.bytes(POOL_BYTES));
      this.#at = 0;
    }
    const from = this.#at;
    this.#at += 2 * NONCE_BYTES;
    return this.#pool.slice(from, this.#at);
  }
}
