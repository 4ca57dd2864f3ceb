import { hash } from 'node:crypto';

const HASH_BYTES = 32;

/** SHA-256 (FIPS 180-4): 32 bytes, a plain Uint8Array. Chosen by the package's `#sha256` import under Node. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const digest = new Uint8Array(HASH_BYTES);
  sha256Into(bytes, digest, 0);
  return digest;
}

/**
 * Writes the 32 bytes of the hash into `target` at `offset`. The digest comes as text, a character a byte: a Buffer has
 * memory of its own outside the heap, which costs twice the hashing.
 */
export function sha256Into(bytes: Uint8Array, target: Uint8Array, offset: number): void {
  const text = hash('sha256', bytes, 'binary');
  // Four a turn: a turn costs as much as a byte.
  for (let i = 0; i < HASH_BYTES; i += 4) {
    const at = offset + i;
    target[at] = text.charCodeAt(i);
    target[at + 1] = text.charCodeAt(i + 1);
    target[at + 2] = text.charCodeAt(i + 2);
    target[at + 3] = text.charCodeAt(i + 3);
  }
}

/** Lower-case hex of the hash of bytes, or of the UTF-8 of a text. */
export function sha256Hex(data: Uint8Array | string): string {
  return hash('sha256', data, 'hex');
}
