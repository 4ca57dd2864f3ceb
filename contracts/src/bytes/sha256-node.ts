import { hash, type BinaryLike } from 'node:crypto';

declare module 'node:crypto' {
  // Documented to take every encoding of a Buffer, but declared to take fewer (https://nodejs.org/docs/latest-v20.x/api/crypto.html).
  function hash(algorithm: string, data: BinaryLike, outputEncoding: 'utf16le'): string;
}

const HASH_BYTES = 32;

/** SHA-256 (FIPS 180-4): 32 bytes, a plain Uint8Array. Chosen by the package's `#sha256` import under Node. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const digest = new Uint8Array(HASH_BYTES);
  sha256Into(bytes, digest, 0);
  return digest;
}

/**
 * Writes the 32 bytes of the hash into `target` at `offset`. Asks for the digest as text with two bytes a character: a
 * Buffer is allocated outside the heap, which costs twice the hashing, and reading a character costs as much as writing
 * two bytes.
 */
export function sha256Into(bytes: Uint8Array, target: Uint8Array, offset: number): void {
  const text = hash('sha256', bytes, 'utf16le');
  // Two characters an iteration, because an iteration costs as much as a byte.
  for (let i = 0; i < HASH_BYTES / 2; i += 2) {
    const at = offset + 2 * i;
    const first = text.charCodeAt(i);
    const second = text.charCodeAt(i + 1);
    target[at] = first;
    target[at + 1] = first >> 8;
    target[at + 2] = second;
    target[at + 3] = second >> 8;
  }
}

/** Lower-case hex of the hash of bytes, or of the UTF-8 of a text. */
export function sha256Hex(data: Uint8Array | string): string {
  return hash('sha256', data, 'hex');
}
