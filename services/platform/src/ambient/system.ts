import { randomFillSync } from 'node:crypto';
import type { Clock, Random } from '../ports/ambient.ts';

export const systemClock: Clock = { now: () => Date.now() };

/** Random bytes that are cryptographically strong. */
export const systemRandom: Random = { bytes: (length) => randomFillSync(new Uint8Array(length)) };
