const DAY_START = 'YYYY-MM-'.length;
const DAY_DIGITS = 2;

/**
 * Milliseconds of a timestamp as `TimestampSchema` has it. undefined when it names no time from 1970 on: an agent must
 * not be able to stop its verifier with one.
 */
export function reportedAt(timestamp: string): number | undefined {
  const ms = Date.parse(timestamp);
  // `Date.parse` takes 30 February and 24:00 as well, for a time of a later day.
  const day = Number(timestamp.slice(DAY_START, DAY_START + DAY_DIGITS));
  return ms >= 0 && new Date(ms).getUTCDate() === day ? ms : undefined;
}
