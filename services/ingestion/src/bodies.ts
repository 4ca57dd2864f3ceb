import { BodyPace, FairPool, FairTurns } from '@sentinel-node/platform';
import type { IngestionLimits } from './limits.ts';

/** Limits of memory and time for request bodies. */
export interface Bodies {
  readonly bulk: FairPool;
  /** Pool of reports and heartbeats, separate so that bulk bodies never take the room of a single report. */
  readonly small: FairPool;
  /** Records that are being appended to the log. */
  readonly appends: FairPool;
  readonly pace: BodyPace;
  /** Turns at the decompression of bulk bodies. */
  readonly unpacking: FairTurns;
}

export function createBodies(limits: IngestionLimits): Bodies {
  return {
    /** @pool bulk-bodies */
    bulk: new FairPool({
      unit: 'bytes of bulk bodies',
      whole: limits.bulkBodyBytes,
      perMember: limits.bulkBodyBytesPerDevice,
    }),
    /** @pool small-bodies */
    small: new FairPool({
      unit: 'bytes of reports and heartbeats',
      whole: limits.smallBodyBytes,
      perMember: limits.smallBodyBytesPerDevice,
    }),
    /** @pool report-appends */
    appends: new FairPool({
      unit: 'bytes on their way into the log',
      whole: limits.appendingBytes,
      perMember: limits.appendingBytes,
    }),
    /** @pool bodies-arriving */
    pace: new BodyPace({ windowMs: limits.bodyWindowMs, leastBytesPerSecond: limits.bodyBytesPerSecond }),
    /** @pool bodies-unpacked */
    unpacking: new FairTurns({
      unit: 'bodies to decompress',
      whole: limits.unpackedAtOnce,
      waiting: limits.unpackWaiting,
      waitMs: limits.unpackWaitMs,
    }),
  };
}
