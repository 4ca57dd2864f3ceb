export { ManualClock } from './manual-clock.ts';
export { SeededRandom } from './seeded-random.ts';
