export {
  EASY_BITS,
  EASY_START,
  easyHash,
  easyHeaders,
  withoutWork,
  type EasyHeaders,
} from './easy-headers.ts';
export { EventStreamReader, type ReceivedFrame } from './event-stream-reader.ts';
export { ManualClock } from './manual-clock.ts';
export { SeededRandom } from './seeded-random.ts';
export { SignedLog } from './signed-log.ts';
export { dropBlocks } from './reorganise.ts';
