import { sha256 } from '#sha256';

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;

/** HMAC-SHA256 (RFC 2104), 32 bytes. */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  const shortKey = key.length > BLOCK_BYTES ? sha256(key) : key;
  const inner = new Uint8Array(BLOCK_BYTES + message.length).fill(0x36, 0, BLOCK_BYTES);
  const outer = new Uint8Array(BLOCK_BYTES + HASH_BYTES).fill(0x5c, 0, BLOCK_BYTES);
  for (let i = 0; i < shortKey.length; i++) {
    inner[i]! ^= shortKey[i]!;
    outer[i]! ^= shortKey[i]!;
  }
  inner.set(message, BLOCK_BYTES);
  outer.set(sha256(inner), BLOCK_BYTES);
  return sha256(outer);
}
