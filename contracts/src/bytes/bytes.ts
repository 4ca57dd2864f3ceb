/**
 * Byte helpers for hashed and exchanged formats. Uint8Array, DataView and TextEncoder only, so that the same code runs
 * in browsers. Integers are big-endian.
 */
import { asciiText, hexText } from '#text';

const encoder = new TextEncoder();
const NOT_HEX = 0x100;
const ASCII = 0x7f;
const NIBBLES = new Uint16Array(128).fill(NOT_HEX);
for (let digit = 0; digit < 16; digit++) NIBBLES[digit.toString(16).charCodeAt(0)] = digit;

/** UTF-8 bytes of `text` as given (no normalisation). An unpaired surrogate counts as U+FFFD (WHATWG Encoding). */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Lower-case hex, two digits a byte. */
export function toHex(bytes: Uint8Array): string {
  return hexText(bytes, 0, bytes.length);
}

/**
 * Decodes ASCII codes into one flat string. A string concatenated from pieces would keep all its pieces in memory.
 */
export function fromAscii(codes: Uint8Array): string {
  return asciiText(codes, 0, codes.length);
}

/** Decodes hex. @throws RangeError unless `hex` is an even number of lower-case hex digits: every value has one spelling */
export function fromHex(hex: string): Uint8Array {
  if (hex.length % 2 !== 0) throw new RangeError('hex has an odd number of digits');
  const bytes = new Uint8Array(hex.length / 2);
  decodeHexInto(hex, 0, bytes, 0, bytes.length);
  return bytes;
}

/** Decodes `length` bytes from `hex` at `hexOffset` into `target` at `offset`. @throws RangeError on other characters */
export function decodeHexInto(
  hex: string,
  hexOffset: number,
  target: Uint8Array,
  offset: number,
  length: number,
): void {
  if (!readHexInto(hex, hexOffset, target, offset, length)) throw new RangeError('not lower-case hex digits');
}

/** Decodes as `decodeHexInto` does; returns false, with any bytes in `target`, on other characters. */
export function readHexInto(
  hex: string,
  hexOffset: number,
  target: Uint8Array,
  offset: number,
  length: number,
): boolean {
  // Checked once at the end: a branch per digit would double the cost.
  let seen = 0;
  for (let i = 0; i < length; i++) {
    const high = hex.charCodeAt(hexOffset + 2 * i);
    const low = hex.charCodeAt(hexOffset + 2 * i + 1);
    const byte = (NIBBLES[high & ASCII]! << 4) | NIBBLES[low & ASCII]!;
    seen |= byte | (((high | low) & ~ASCII) << 8);
    target[offset + i] = byte;
  }
  return seen <= 0xff;
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** Not constant-time: for public values (hashes, roots), never for secrets. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && compareBytes(a, b) === 0;
}

/** Unsigned lexicographic order; a prefix comes first. Negative, 0 or positive. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const difference = a[i]! - b[i]!;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Number of bytes that a double holds exactly. */
const PREFIX_BYTES = 6;

/** Returns the first 6 bytes from `offset` on as a number, which nearly always decides the order of two hashes. */
export function bytesPrefix(bytes: Uint8Array, offset = 0): number {
  let prefix = 0;
  for (let i = 0; i < PREFIX_BYTES; i++) prefix = prefix * 256 + bytes[offset + i]!;
  return prefix;
}

/** Standard base 64 with padding (RFC 4648 section 4). */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/**
 * Decodes base 64. @throws RangeError unless `text` is exactly what `toBase64` writes: `atob` alone also accepts blanks
 * and missing padding
 */
export function fromBase64(text: string): Uint8Array {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) throw new RangeError('not base 64');
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  if (toBase64(bytes) !== text) throw new RangeError('base 64 has stray bits');
  return bytes;
}

/** Decodes base 64 as `fromBase64` does; returns undefined for other texts. */
export function decodedBase64(text: string): Uint8Array | undefined {
  try {
    return fromBase64(text);
  } catch {
    return undefined;
  }
}
