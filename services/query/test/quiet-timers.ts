import { systemTimers, type Timers } from '@sentinel-node/platform';

const never = new Promise<never>(() => undefined);

/** Timers that repeat nothing, so that every call to the store belongs to a request. */
export const QUIET: Timers = {
  ...systemTimers,
  every: () => ({ stop: async () => undefined, failed: never }),
};
