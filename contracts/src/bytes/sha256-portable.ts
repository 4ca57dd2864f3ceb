import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import { toHex, utf8 } from './bytes.ts';

/** SHA-256 (FIPS 180-4): 32 bytes. Chosen by the package's `#sha256` import wherever there is no node:crypto. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return nobleSha256(bytes);
}

/** Writes the 32 bytes of the hash into `target` at `offset`. */
export function sha256Into(bytes: Uint8Array, target: Uint8Array, offset: number): void {
  target.set(nobleSha256(bytes), offset);
}

/** Lower-case hex of the hash of bytes, or of the UTF-8 of a text. */
export function sha256Hex(data: Uint8Array | string): string {
  return toHex(nobleSha256(typeof data === 'string' ? utf8(data) : data));
}
