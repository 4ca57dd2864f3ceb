import { seedFrom } from '@sentinel-node/test-kit/seeds';
import type { Test } from 'tap';

/** Returns random numbers from a printed seed; `SENTINEL_TEST_SEED` chooses another. */
export function seeded(t: Test): (below: number) => number {
  const seed = seedFrom();
  t.comment(`SENTINEL_TEST_SEED=${seed}`);
  let state = seed >>> 0;
  // mulberry32
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let z = Math.imul(state ^ (state >>> 15), state | 1);
    z = (z + Math.imul(z ^ (z >>> 7), z | 61)) ^ z;
    return ((z ^ (z >>> 14)) >>> 0) % below;
  };
}
