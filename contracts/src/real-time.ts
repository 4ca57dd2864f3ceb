const SAFE_DAY = 28;
const FIRST_YEAR = 1970;
/** Last moment that a Date can have, in ms since 1970 (ECMAScript 21.4.1.1). */
export const LAST_DATE_MS = 8_640_000_000_000_000;

/** Shows a moment for a person, also one that no Date can have. @param ms since 1970, at least 0 */
export const shownMoment = (ms: number): string =>
  ms <= LAST_DATE_MS ? new Date(ms).toISOString() : `${ms} ms after 1970`;

/**
 * Returns true when `timestamp`, which has the form of `TimestampSchema`, names a real instant from 1970 on. The form
 * alone admits February 30 and hour 24, which `Date.parse` moves to a later day, and reports are hashed with their time
 * in milliseconds. Compares digits, because making a `Date` for each report takes several times as long.
 */
export function isRealTime(timestamp: string): boolean {
  const year = Number(timestamp.slice(0, 4));
  const month = twoDigits(timestamp, 5);
  const day = twoDigits(timestamp, 8);
  return (
    year >= FIRST_YEAR &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    (day <= SAFE_DAY || day <= daysOf(year, month)) &&
    twoDigits(timestamp, 11) < 24 &&
    twoDigits(timestamp, 14) < 60 &&
    twoDigits(timestamp, 17) < 60
  );
}

function twoDigits(text: string, at: number): number {
  return 10 * (text.charCodeAt(at) - 48) + text.charCodeAt(at + 1) - 48;
}

/** Returns the last day of a month, which counts from 1: the day before the first of the next month. */
function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
