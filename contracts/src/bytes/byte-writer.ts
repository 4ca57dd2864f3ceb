import { decodeHexInto, utf8 } from './bytes.ts';
import { eventIdInto } from '../event-id-text.ts';
import { uuidInto } from '../uuid.ts';

const TWO_POW_32 = 2 ** 32;
const TWO_POW_28 = 2 ** 28;
/** Groups of seven bits in 28. */
const GROUPS_OF_28 = 4;
const LENGTH_BYTES = 4;
const MAX_ASCII = 0x7f;
/** Length of 2^53 − 1 at seven bits a byte. */
const VAR_UINT_BYTES = 8;
const MAX_MASKED = 0x7fff_ffff;

/** 16 bytes, or their 32 lower-case hex digits. */
export type Bytes16 = Uint8Array | string;
/** 32 bytes, or their 64 lower-case hex digits. */
export type Bytes32 = Uint8Array | string;

/**
 * Appends the primitives of `docs/formats.md` to one buffer, which grows as needed. `view()` returns the bytes written so
 * far, valid until the next write or `reset`. A module that keeps its writer allocates no buffer per hash.
 */
export class ByteWriter {
  #bytes: Uint8Array;
  #view: DataView;
  #length = 0;
  /** Last result of `view()`. */
  #written: Uint8Array;

  constructor(capacityBytes: number) {
    this.#bytes = new Uint8Array(capacityBytes);
    this.#written = this.#bytes;
    this.#view = new DataView(this.#bytes.buffer);
  }

  reset(): this {
    this.#length = 0;
    return this;
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#length;
  }

  /** Removes the bytes after the first `length` bytes. */
  truncate(length: number): this {
    this.#length = Math.min(this.#length, length);
    return this;
  }

  view(): Uint8Array {
    // Reuse the view: most results of one writer have the same length.
    if (this.#written.length !== this.#length) this.#written = this.#bytes.subarray(0, this.#length);
    return this.#written;
  }

  copy(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  raw(bytes: Uint8Array): this {
    const at = this.#take(bytes.length);
    this.#bytes.set(bytes, at);
    return this;
  }

  /** Appends `length` bytes of `bytes` from `offset` on. Makes no view, which would cost more than the copy. */
  part(bytes: Uint8Array, offset: number, length: number): this {
    const at = this.#take(length);
    const target = this.#bytes;
    for (let i = 0; i < length; i++) target[at + i] = bytes[offset + i]!;
    return this;
  }

  u8(value: number): this {
    assertUnsigned(value, 0xff);
    const at = this.#take(1);
    this.#bytes[at] = value;
    return this;
  }

  u32(value: number): this {
    assertUnsigned(value, 0xffff_ffff);
    const at = this.#take(4);
    this.#view.setUint32(at, value);
    return this;
  }

  /** @throws RangeError above 2^53 − 1: a number that JSON cannot carry exactly is never hashed */
  u64(value: number): this {
    assertUnsigned(value, Number.MAX_SAFE_INTEGER);
    const at = this.#take(8);
    this.#view.setUint32(at, Math.floor(value / TWO_POW_32));
    this.#view.setUint32(at + 4, value % TWO_POW_32);
    return this;
  }

  /** LEB128: seven bits a byte, the lowest first, in as few bytes as the number needs. @throws RangeError above 2^53 − 1 */
  varUint(value: number): this {
    assertUnsigned(value, Number.MAX_SAFE_INTEGER);
    // Reserve the longest length at once: reserving byte by byte costs more than the bytes.
    let at = this.#take(VAR_UINT_BYTES);
    const bytes = this.#bytes;
    let rest = value;
    if (value > MAX_MASKED) {
      // Bit operators truncate numbers to 32 bits: the lowest 28 go first, the others fit then.
      rest = Math.floor(value / TWO_POW_28);
      let low = value - rest * TWO_POW_28;
      for (const end = at + GROUPS_OF_28; at < end; low >>>= 7) bytes[at++] = (low & 0x7f) | 0x80;
    }
    for (; rest > 0x7f; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
    bytes[at++] = rest;
    this.#length = at;
    return this;
  }

  /** varUint length in bytes ‖ UTF-8. */
  text(value: string): this {
    const bytes = utf8(value);
    return this.varUint(bytes.length).raw(bytes);
  }

  bytes16(value: Bytes16): this {
    return this.#fixed(value, 16);
  }

  bytes32(value: Bytes32): this {
    return this.#fixed(value, 32);
  }

  uuid(value: string): this {
    const at = this.#take(16);
    uuidInto(value, this.#bytes, at);
    return this;
  }

  /** u32 length in bytes ‖ UTF-8. */
  str(value: string): this {
    // Nearly all texts are short ASCII, for which the encoder's call and array cost more than this loop.
    const at = this.#take(LENGTH_BYTES + value.length);
    for (let i = 0; i < value.length; i++) {
      const unit = value.charCodeAt(i);
      if (unit > MAX_ASCII) return this.#strBeyondAscii(value, at);
      this.#bytes[at + LENGTH_BYTES + i] = unit;
    }
    this.#view.setUint32(at, value.length);
    return this;
  }

  /** Appends the 16 bytes of an event id. @returns false, without writing, when `id` is not an event id */
  eventId(id: string): boolean {
    const at = this.#take(16);
    const isId = eventIdInto(id, this.#bytes, at);
    if (!isId) this.#length = at;
    return isId;
  }

  optU64(value: number | undefined): this {
    return value === undefined ? this.u8(0) : this.u8(1).u64(value);
  }

  optBytes32(value: Bytes32 | undefined): this {
    return value === undefined ? this.u8(0) : this.u8(1).bytes32(value);
  }

  optUuid(value: string | undefined): this {
    return value === undefined ? this.u8(0) : this.u8(1).uuid(value);
  }

  #fixed(value: Uint8Array | string, length: number): this {
    const isHex = typeof value === 'string';
    if (value.length !== (isHex ? 2 * length : length)) throw new RangeError(`not ${length} bytes`);
    if (!isHex) return this.raw(value);
    const at = this.#take(length);
    decodeHexInto(value, 0, this.#bytes, at, length);
    return this;
  }

  #strBeyondAscii(value: string, at: number): this {
    const bytes = utf8(value);
    this.#length = at;
    return this.u32(bytes.length).raw(bytes);
  }

  #take(length: number): number {
    const at = this.#length;
    this.#length += length;
    if (this.#length > this.#bytes.length) this.#grow();
    return at;
  }

  #grow(): void {
    const grown = new Uint8Array(Math.max(this.#length, 2 * this.#bytes.length));
    grown.set(this.#bytes);
    this.#bytes = grown;
    this.#written = grown;
    this.#view = new DataView(grown.buffer);
  }
}

function assertUnsigned(value: number, max: number): void {
  if (!Number.isSafeInteger(value) || value < 0 || value > max)
    throw new RangeError(`not an integer of 0 to ${max}: ${value}`);
}

/** Reads the u64 at `offset`. Returns undefined above 2^53 − 1. */
export function readU64(bytes: Uint8Array, offset: number): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const value = view.getUint32(offset) * TWO_POW_32 + view.getUint32(offset + 4);
  return Number.isSafeInteger(value) ? value : undefined;
}
