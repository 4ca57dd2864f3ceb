import { randomInt } from 'node:crypto';

/** The day of the tests' clocks, 2026-11-21. */
const USUAL_SEED = 20_261_121;

/**
 * Returns the seed of random choices in a test: always the same one, so that a delivery does not fail by a new seed. The
 * environment chooses another one, or draws one with `random`; whoever asks prints it.
 * @param variable a number of the environment, or `random`
 */
export function seedFrom(variable = 'SENTINEL_TEST_SEED'): number {
  const wish = process.env[variable];
  if (wish === undefined) return USUAL_SEED;
  if (wish === 'random') return randomInt(2 ** 31);
  if (!/^\d{1,10}$/.test(wish)) throw new Error(`${variable} must be a number or "random": ${wish}`);
  return Number(wish);
}
