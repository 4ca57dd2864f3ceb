import { sha256, sha256Hex, sha256Into } from '#sha256';

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
/** Messages up to this many bytes use the shared block. */
const SHORT_MESSAGE_BYTES = 64;

// Hashing is synchronous, so one pair of blocks serves all calls.
const shortInner = new Uint8Array(BLOCK_BYTES + SHORT_MESSAGE_BYTES);
const outer = new Uint8Array(BLOCK_BYTES + HASH_BYTES);

/** HMAC-SHA256 (RFC 2104), 32 bytes. */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  return sha256(outerBlocks(key, message));
}

/** `hmacSha256` in hex. */
export function hmacSha256Hex(key: Uint8Array, message: Uint8Array): string {
  return sha256Hex(outerBlocks(key, message));
}

/** Input of the second hash; valid until the next call. */
function outerBlocks(key: Uint8Array, message: Uint8Array): Uint8Array {
  const shortKey = key.length > BLOCK_BYTES ? sha256(key) : key;
  const length = BLOCK_BYTES + message.length;
  const isShort = message.length <= SHORT_MESSAGE_BYTES;
  const inner = isShort ? shortInner.subarray(0, length) : new Uint8Array(length);
  inner.fill(0x36, 0, BLOCK_BYTES);
  outer.fill(0x5c, 0, BLOCK_BYTES);
  for (let i = 0; i < shortKey.length; i++) {
    inner[i]! ^= shortKey[i]!;
    outer[i]! ^= shortKey[i]!;
  }
  inner.set(message, BLOCK_BYTES);
  sha256Into(inner, outer, BLOCK_BYTES);
  return outer;
}
