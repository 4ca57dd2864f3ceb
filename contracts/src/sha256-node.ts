import { hash } from 'node:crypto';

const HASH_BYTES = 32;

/**
 * SHA-256 (FIPS 180-4): 32 bytes, a plain Uint8Array. Chosen by the package's `#sha256` import under Node. The digest
 * comes as text, a character a byte: a Buffer has memory of its own outside the heap, which costs twice the hashing.
 */
export function sha256(bytes: Uint8Array): Uint8Array {
  const text = hash('sha256', bytes, 'binary');
  const digest = new Uint8Array(HASH_BYTES);
  for (let i = 0; i < HASH_BYTES; i++) digest[i] = text.charCodeAt(i);
  return digest;
}
