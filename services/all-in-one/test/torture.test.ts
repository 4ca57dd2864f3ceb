/**
 * Runs the torture test of the agent with one seed; `npm run torture` runs longer, with another seed each
 * time.
 */
import { seedFrom } from '@sentinel-node/test-kit/seeds';
import t from 'tap';
import { torture } from './torture/torture.ts';

const { SENTINEL_TORTURE_FILES = '60', SENTINEL_TORTURE_SECONDS = '25' } = process.env;
/** Longest time of the test, in ms; only ends a hanging run. */
const STUCK_MS = 1_800_000;

t.setTimeout(STUCK_MS);
t.test('torture', { timeout: STUCK_MS }, async (t) => {
  const seed = seedFrom();
  t.comment(`SENTINEL_TEST_SEED=${seed}`);
  await torture(t, {
    seed,
    files: Number(SENTINEL_TORTURE_FILES),
    seconds: Number(SENTINEL_TORTURE_SECONDS),
    canChown: process.getuid?.() === 0,
  });
});
