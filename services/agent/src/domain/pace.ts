/** Limits a reading rate in bytes per second. */

/** Most delay that later reads may catch up, in ms: a longer pause gives no credit for a burst. */
const CREDIT_MS = 50;

/**
 * Returns the earliest time of the next read, in ms, after reading `bytes`.
 * @param dueAt the previous result; -Infinity at first @param bytesPerSecond Infinity: no limit
 */
export function dueAfter(dueAt: number, nowMs: number, bytes: number, bytesPerSecond: number): number {
  return Math.max(dueAt, nowMs - CREDIT_MS) + (bytes / bytesPerSecond) * 1_000;
}
