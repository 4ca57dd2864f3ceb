/**
 * Returns the next sequence of a file: above the last one, at least the server's time in µs so that a lost state does not
 * repeat old numbers, and above the highest sequence the server has seen (decision 4 of
 * the specification).
 */
export function nextSequence(last: number, nowMs: number, serverLast: number): number {
  return Math.max(last + 1, Math.floor(nowMs) * 1000, serverLast + 1);
}
