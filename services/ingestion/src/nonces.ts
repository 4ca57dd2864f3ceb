import type { Random } from '@sentinel-node/platform';
import { NONCE_BYTES, toHex } from '@sentinel-node/contracts';

/** Random bytes of one call of the generator, enough for 512 nonces. */
const POOL_BYTES = 8_192;

/** Supplies nonces of records: 16 random bytes each, never used twice. */
export class Nonces {
  readonly #random: Random;
  #pool: Uint8Array = new Uint8Array(0);
  #at = 0;
  /** The nonce of the last call: a view for each would cost more than the copy. */
  readonly #nonce = new Uint8Array(NONCE_BYTES);

  constructor(random: Random) {
    this.#random = random;
  }

  /** Returns the nonce in hex. */
  next(): string {
    return toHex(this.nextBytes());
  }

  /** Returns the 16 bytes of the nonce, valid until the next call. */
  nextBytes(): Uint8Array {
    if (this.#at === this.#pool.length) {
      this.#pool = this.#random.bytes(POOL_BYTES);
      this.#at = 0;
    }
    for (let i = 0; i < NONCE_BYTES; i++) this.#nonce[i] = this.#pool[this.#at + i]!;
    this.#at += NONCE_BYTES;
    return this.#nonce;
  }
}
