/**
 * The next sequence of a file: above the last one, near the server's clock in µs so that a lost state does not repeat
 * old numbers, and above what the server has seen (decisions 4).
 */
export function nextSequence(last: number, nowMs: number, serverLast: number): number {
  return Math.max(last + 1, Math.floor(nowMs) * 1000, serverLast + 1);
}
