import { readFileSync } from 'node:fs';

/** Reads a file of `contracts/vectors`. */
export function vector<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../vectors/${name}`, import.meta.url), 'utf8')) as T;
}

/** Returns a copy of `bytes` with bit `bit` flipped; bits count from 0, the lowest of the first byte first. */
export function flipBit(bytes: Uint8Array, bit: number): Uint8Array {
  const flipped = bytes.slice();
  const at = Math.floor(bit / 8) % flipped.length;
  flipped[at]! ^= 1 << (bit % 8);
  return flipped;
}
