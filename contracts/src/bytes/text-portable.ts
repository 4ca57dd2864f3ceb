const HEX_DIGITS = new TextEncoder().encode('0123456789abcdef');
const asciiDecoder = new TextDecoder();

/** Decodes the bytes from `from` to `to`, which must be ASCII. */
export function asciiText(bytes: Uint8Array, from: number, to: number): string {
  return asciiDecoder.decode(bytes.subarray(from, to));
}

/** Returns the bytes from `from` to `to` in lower-case hex. */
export function hexText(bytes: Uint8Array, from: number, to: number): string {
  const digits = new Uint8Array(2 * (to - from));
  for (let i = 0; i < to - from; i++) {
    digits[2 * i] = HEX_DIGITS[bytes[from + i]! >> 4]!;
    digits[2 * i + 1] = HEX_DIGITS[bytes[from + i]! & 0xf]!;
  }
  return asciiText(digits, 0, digits.length);
}
