import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';

/** SHA-256 (FIPS 180-4): 32 bytes. Chosen by the package's `#sha256` import wherever there is no node:crypto. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return nobleSha256(bytes);
}
