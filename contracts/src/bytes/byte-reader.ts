/** Reads untrusted bytes in the ledger's encoding: little-endian, variable integers in their shortest form only. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** @throws RangeError when fewer bytes are left */
  take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw new RangeError('ends too early');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  u8(): number {
    return this.take(1)[0]!;
  }

  u32(): number {
    this.take(4);
    return this.#view.getUint32(this.#at - 4, true);
  }

  /** @throws RangeError above 2^53 − 1 */
  u64(): number {
    const low = this.u32();
    const value = this.u32() * 2 ** 32 + low;
    if (!Number.isSafeInteger(value)) throw new RangeError('larger than 2^53 - 1');
    return value;
  }

  /** Bitcoin's CompactSize. @throws RangeError when it has a shorter form */
  varInt(): number {
    const first = this.u8();
    if (first < 0xfd) return first;
    const [value, least] = this.#longer(first);
    if (value < least) throw new RangeError('not the shortest form');
    return value;
  }

  #longer(first: number): [value: number, least: number] {
    if (first === 0xfd) return [this.u8() + this.u8() * 256, 0xfd];
    return first === 0xfe ? [this.u32(), 0x1_0000] : [this.u64(), 0x1_0000_0000];
  }
}
