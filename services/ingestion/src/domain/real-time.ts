/**
 * Whether `timestamp`, which has the form of `TimestampSchema`, names an instant from 1970 on. The form alone admits
 * the 30th of February and hour 24, and what is hashed of a report is its time in milliseconds.
 */
export function isRealTime(timestamp: string): boolean {
  const time = Date.parse(timestamp);
  return time >= 0 && new Date(time).getUTCDate() === Number(timestamp.slice(8, 10));
}
