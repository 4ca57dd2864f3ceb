import { hash } from 'node:crypto';

/** SHA-256 (FIPS 180-4): 32 bytes, a plain Uint8Array. Chosen by the package's `#sha256` import under Node. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const digest = hash('sha256', bytes, 'buffer');
  return new Uint8Array(digest.buffer, digest.byteOffset, digest.byteLength);
}
