/** Limits the members of a list by the bytes of their JSON. */
export class ByteBudget {
  #left: number;

  /** @param bytes of UTF-8 */
  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Returns whether the value still fits as a member of a list. After one that did not fit, no other fits. */
  fits(value: object): boolean {
    this.#left -= Buffer.byteLength(JSON.stringify(value)) + 1;
    return this.#left >= 0;
  }
}
