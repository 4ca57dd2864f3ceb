/**
 * Decodes texts with Node's own methods; chosen by the package's `#text` import. A `TextDecoder` costs about four times as
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

/** Decodes the bytes from `from` to `to`, which must be ASCII. */
export function asciiText(bytes: Uint8Array, from: number, to: number): string {
  return latin1Slice.call(bytes, from, to);
}

/** Returns the bytes from `from` to `to` in lower-case hex. */
export function hexText(bytes: Uint8Array, from: number, to: number): string {
  return hexSlice.call(bytes, from, to);
}
