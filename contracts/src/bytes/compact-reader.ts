import { asciiText, hexText } from '#text';
import { eventIdText } from '../event-id-text.ts';
import { uuidText } from '../uuid.ts';

/** Bytes of the longest `varUint` of a number up to 2^53 − 1. */
const VAR_UINT_BYTES = 8;
const MAX_ASCII = 0x7f;
const UUID_BYTES = 16;
const ID_BYTES = 16;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Thrown for bytes that are not a record of the encoding that they name. The message never quotes the bytes. */
export class RecordFormatError extends Error {
  readonly code = 'RECORD_FORMAT';
  constructor(message: string) {
    super(message);
    this.name = 'RecordFormatError';
  }
}

/** Reads a record that `ByteWriter` wrote. Checks every length against the bytes that are left. */
export class CompactReader {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  get position(): number {
    return this.#at;
  }

  /** Goes back to an earlier position. */
  seek(position: number): void {
    this.#at = Math.min(position, this.#at);
  }

  /** Skips `length` bytes and returns their position. @throws RecordFormatError when fewer bytes are left */
  skip(length: number): number {
    const at = this.#at;
    if (length > this.#bytes.length - at) throw new RecordFormatError(`ends too early, at byte ${at}`);
    this.#at = at + length;
    return at;
  }

  u8(): number {
    return this.#bytes[this.skip(1)]!;
  }

  /** @throws RecordFormatError for a number above 2^53 − 1 or with more bytes than it needs */
  varUint(): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < VAR_UINT_BYTES; i++) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      scale *= 0x80;
      if (byte > 0x7f) continue;
      if ((byte === 0 && i > 0) || !Number.isSafeInteger(value)) break;
      return value;
    }
    throw new RecordFormatError(`has no number at byte ${this.#at}`);
  }

  /** 48 bits, big-endian. */
  time48(): number {
    const at = this.skip(6);
    const bytes = this.#bytes;
    const high = bytes[at]! * 0x100 + bytes[at + 1]!;
    const low = bytes[at + 2]! * 2 ** 24 + (bytes[at + 3]! << 16) + (bytes[at + 4]! << 8) + bytes[at + 5]!;
    return high * 2 ** 32 + low;
  }

  hex(length: number): string {
    const at = this.skip(length);
    return hexText(this.#bytes, at, at + length);
  }

  /** A view of the next `length` bytes. */
  view(length: number): Uint8Array {
    const at = this.skip(length);
    return this.#bytes.subarray(at, at + length);
  }

  uuid(): string {
    return uuidText(this.#bytes, this.skip(UUID_BYTES));
  }

  repeatedUuid(memory: RepeatedUuid): string {
    return memory.read(this.#bytes, this.skip(UUID_BYTES));
  }

  eventId(): string {
    return eventIdText(this.#bytes, this.skip(ID_BYTES));
  }

  /** Reads a text that `ByteWriter.text` wrote. @throws RecordFormatError when it is not UTF-8 */
  text(): string {
    const length = this.varUint();
    const at = this.skip(length);
    for (let i = at; i < at + length; i++) if (this.#bytes[i]! > MAX_ASCII) return this.#utf8(at, length);
    return asciiText(this.#bytes, at, at + length);
  }

  /** @throws RecordFormatError unless all bytes were read */
  end(): void {
    if (this.#at !== this.#bytes.length)
      throw new RecordFormatError(`has ${this.#bytes.length - this.#at} bytes too many`);
  }

  /** Reads a code and returns its member of `values`. @throws RecordFormatError for an unknown code */
  oneOf<T>(values: readonly (T | undefined)[]): T {
    const value = values[this.u8()];
    if (value === undefined) throw new RecordFormatError(`has an unknown code at byte ${this.#at - 1}`);
    return value;
  }

  #utf8(at: number, length: number): string {
    try {
      return decoder.decode(this.#bytes.subarray(at, at + length));
    } catch {
      throw new RecordFormatError(`has no UTF-8 at byte ${at}`);
    }
  }
}

/** Returns the names of a code table, indexed by code. */
export function namesOf<T extends string>(codes: Readonly<Record<T, number>>): readonly (T | undefined)[] {
  const names: (T | undefined)[] = [];
  for (const name in codes) names[codes[name]] = name;
  return names;
}

/** Reads UUIDs that often repeat, such as the organisation or the device, and reuses the last text. */
export class RepeatedUuid {
  #text = '';
  readonly #bytes = new Uint8Array(UUID_BYTES);

  /** Returns the text of the UUID at `at`; the previous string when the UUID is the same. */
  read(bytes: Uint8Array, at: number): string {
    let same = this.#text !== '';
    for (let i = 0; same && i < UUID_BYTES; i++) same = bytes[at + i] === this.#bytes[i];
    if (same) return this.#text;
    this.#bytes.set(bytes.subarray(at, at + UUID_BYTES));
    this.#text = uuidText(bytes, at);
    return this.#text;
  }
}
