export { EventStreamReader, type ReceivedFrame } from './event-stream-reader.ts';
export { ManualClock } from './manual-clock.ts';
export { SeededRandom } from './seeded-random.ts';
export { dropBlocks } from './reorganise.ts';
