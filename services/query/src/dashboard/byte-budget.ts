/** How much of a list an answer names: as much as fits into so many bytes of JSON. */
export class ByteBudget {
  #left: number;

  /** @param bytes of UTF-8 */
  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Whether the value still fits, as a member of a list. After one that did not fit, none does. */
  takes(value: object): boolean {
    this.#left -= Buffer.byteLength(JSON.stringify(value)) + 1;
    return this.#left >= 0;
  }
}
