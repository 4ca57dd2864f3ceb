import { readFileSync } from 'node:fs';

/** A file of `contracts/vectors`. */
export function vector<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../vectors/${name}`, import.meta.url), 'utf8')) as T;
}

/** A copy of `bytes` in which bit `bit` (counted from 0, lowest of the first byte first) is the other way. */
export function flipBit(bytes: Uint8Array, bit: number): Uint8Array {
  const flipped = bytes.slice();
  const at = Math.floor(bit / 8) % flipped.length;
  flipped[at]! ^= 1 << (bit % 8);
  return flipped;
}
