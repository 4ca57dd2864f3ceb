/** How far back health reads alerts (section 9 of the specification). */
const HEALTH_MONTHS = 3;

/** Returns the time (ms) from which an ACTIVE alert counts. @param now milliseconds */
export const healthSince = (now: number): number => monthsBefore(now, HEALTH_MONTHS);

/**
 * Returns the same day and time some calendar months earlier, in UTC; the last day of the month when that month is
 * shorter.
 */
export function monthsBefore(ms: number, months: number): number {
  const date = new Date(ms);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() - months);
  if (date.getUTCDate() !== day) date.setUTCDate(0);
  return date.getTime();
}
