/**
 * Texts from bytes by Node's own methods, chosen by the package's `#text` import: a `TextDecoder` costs some four times as
 * much for the short texts of a record.
 */

declare global {
  // Methods of every Node version (https://github.com/nodejs/node/blob/v20.x/lib/internal/buffer.js), not declared by its types.
  interface Buffer {
    hexSlice(from: number, to: number): string;
    latin1Slice(from: number, to: number): string;
  }
}

const { hexSlice, latin1Slice } = Buffer.prototype;

/** The bytes from `from` to `to` as a text; every byte is ASCII. */
export function asciiText(bytes: Uint8Array, from: number, to: number): string {
  return latin1Slice.call(bytes, from, to);
}

/** Lower-case hex of the bytes from `from` to `to`. */
export function hexText(bytes: Uint8Array, from: number, to: number): string {
  return hexSlice.call(bytes, from, to);
}
