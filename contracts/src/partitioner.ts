import { utf8 } from './bytes/bytes.ts';

const SEED = 0x9747b28c;
const MULTIPLIER = 0x5bd1e995;

/**
 * Partition of a keyed record: Kafka's default, toPositive(murmur2(UTF-8 of the key)) mod `partitions`
 * (org.apache.kafka.clients.producer.internals.BuiltInPartitioner). The same in every event log of this project.
 * @throws RangeError when `partitions` is not a positive integer
 */
export function partitionOf(key: string, partitions: number): number {
  if (!Number.isInteger(partitions) || partitions < 1)
    throw new RangeError('partitions must be a positive integer');
  return (murmur2(bytesOf(key)) & 0x7fff_ffff) % partitions;
}

const MAX_ASCII = 0x7f;
/** Keys are UUIDs. The shared buffer saves an array per record, which would cost more than the hash. */
const KEY_LENGTH = 36;
const keyBytes = new Uint8Array(KEY_LENGTH);

/** UTF-8 of a key; valid until the next call. */
function bytesOf(key: string): Uint8Array {
  if (key.length !== KEY_LENGTH) return utf8(key);
  for (let i = 0; i < KEY_LENGTH; i++) {
    const unit = key.charCodeAt(i);
    if (unit > MAX_ASCII) return utf8(key);
    keyBytes[i] = unit;
  }
  return keyBytes;
}

/** MurmurHash2 as in org.apache.kafka.common.utils.Utils: 32 bits, signed, little-endian words. */
export function murmur2(bytes: Uint8Array): number {
  let hash = SEED ^ bytes.length;
  const whole = bytes.length & ~3;
  for (let at = 0; at < whole; at += 4) {
    let word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    word = Math.imul(word, MULTIPLIER);
    word ^= word >>> 24;
    hash = Math.imul(hash, MULTIPLIER) ^ Math.imul(word, MULTIPLIER);
  }
  const rest = bytes.length - whole;
  if (rest > 2) hash ^= bytes[whole + 2]! << 16;
  if (rest > 1) hash ^= bytes[whole + 1]! << 8;
  if (rest > 0) hash = Math.imul(hash ^ bytes[whole]!, MULTIPLIER);
  hash = Math.imul(hash ^ (hash >>> 13), MULTIPLIER);
  return hash ^ (hash >>> 15);
}
