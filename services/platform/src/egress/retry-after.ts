/**
 * Returns the milliseconds of `Retry-After` (RFC 9110 10.2.3), at most `longestMs`; 0 when the header is absent or
 * unreadable.
 * @param now milliseconds since the Unix epoch
 */
export function retryAfterMs(header: string | null | undefined, now: number, longestMs: number): number {
  if (header === null || header === undefined) return 0;
  const wanted = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isFinite(wanted) ? Math.min(Math.max(wanted, 0), longestMs) : 0;
}
