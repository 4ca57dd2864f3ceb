import { fromAscii, readHexInto } from './bytes/bytes.ts';

const TEXT_LENGTH = 36;
const BYTES = 16;
const DASH = '-'.charCodeAt(0);
/** Random bytes that `uuidV7` takes. */
export const UUID_RANDOM_BYTES = 10;
const MAX_TIME_MS = 2 ** 48 - 1;

/**
 * Writes the 16 bytes of `uuid` (RFC 9562 text form, lower case) into `target` at `offset`. @throws RangeError on any
 * other spelling
 */
export function uuidInto(uuid: string, target: Uint8Array, offset: number): void {
  if (!readUuidInto(uuid, target, offset)) throw new RangeError('not a UUID');
}

/** Writes as `uuidInto` does; returns false, with any bytes in `target`, when `text` is not a UUID in this spelling. */
export function readUuidInto(text: string, target: Uint8Array, offset: number): boolean {
  return (
    text.length === TEXT_LENGTH &&
    hasDashes(text) &&
    readHexInto(text, 0, target, offset, 4) &&
    readHexInto(text, 9, target, offset + 4, 2) &&
    readHexInto(text, 14, target, offset + 6, 2) &&
    readHexInto(text, 19, target, offset + 8, 2) &&
    readHexInto(text, 24, target, offset + 10, 6)
  );
}

function hasDashes(uuid: string): boolean {
  return (
    uuid.charCodeAt(8) === DASH &&
    uuid.charCodeAt(13) === DASH &&
    uuid.charCodeAt(18) === DASH &&
    uuid.charCodeAt(23) === DASH
  );
}

/** Returns the text of a UUID. @throws RangeError unless `bytes` are 16 bytes */
export function uuidFromBytes(bytes: Uint8Array): string {
  if (bytes.length !== BYTES) throw new RangeError('a UUID has 16 bytes');
  return uuidText(bytes, 0);
}

const HEX_CODES = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
const textCodes = new Uint8Array(TEXT_LENGTH).fill(DASH);
/** Position in the text of the digits of each byte. */
const DIGITS_AT = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;

/** Returns the text of the 16 bytes at `offset`. The caller checks the length. */
export function uuidText(bytes: Uint8Array, offset: number): string {
  for (let i = 0; i < BYTES; i++) {
    const byte = bytes[offset + i]!;
    textCodes[DIGITS_AT[i]!] = HEX_CODES[byte >> 4]!;
    textCodes[DIGITS_AT[i]! + 1] = HEX_CODES[byte & 0xf]!;
  }
  return fromAscii(textCodes);
}

const unused = new Uint8Array(BYTES);

/**
 * Returns true when `text` is a UUID in the project's spelling: lower case, any version. Each report asks several times;
 * a regular expression takes twice as long.
 */
export function isUuid(text: string): boolean {
  return readUuidInto(text, unused, 0);
}

/**
 * UUID version 7 (RFC 9562 section 5.7): 48 bits of `nowMs`, then 74 of the first 80 bits of `random` (6 give way to
 * version and variant).
 * @throws RangeError when `random` has fewer than 10 bytes or `nowMs` does not fit 48 bits
 */
export function uuidV7(nowMs: number, random: Uint8Array): string {
  if (random.length < UUID_RANDOM_BYTES) throw new RangeError('a UUID needs 10 random bytes');
  const bytes = new Uint8Array(BYTES);
  writeTime48(nowMs, bytes);
  bytes.set(random.subarray(0, UUID_RANDOM_BYTES), 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return uuidFromBytes(bytes);
}

/** Writes `timeMs` into six bytes of `target`, from `offset` on. @throws RangeError when it does not fit 48 bits */
export function writeTime48(timeMs: number, target: Uint8Array, offset = 0): void {
  if (!Number.isInteger(timeMs) || timeMs < 0 || timeMs > MAX_TIME_MS)
    throw new RangeError(`not a time in ms: ${timeMs}`);
  // Without a DataView: it would move a small array out of the heap.
  const high = Math.floor(timeMs / 2 ** 32);
  target[offset] = high >>> 8;
  target[offset + 1] = high;
  target[offset + 2] = timeMs >>> 24;
  target[offset + 3] = timeMs >>> 16;
  target[offset + 4] = timeMs >>> 8;
  target[offset + 5] = timeMs;
}
