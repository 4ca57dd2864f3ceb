/** Reading at no more than so many bytes a second. */

/** Reads that lie this far behind are not made up for, in ms: a pause is no credit for a burst. */
const CREDIT_MS = 50;

/**
 * When the next read may begin, in ms, after `bytes` were read.
 * @param dueAt what this returned before; -Infinity at first @param bytesPerSecond Infinity: at any speed
 */
export function dueAfter(dueAt: number, nowMs: number, bytes: number, bytesPerSecond: number): number {
  return Math.max(dueAt, nowMs - CREDIT_MS) + (bytes / bytesPerSecond) * 1_000;
}
