/** Converts weekly times in a time zone to intervals in milliseconds. Pure. */
import { WEEKDAYS, type Interval, type Weekly } from '@sentinel-node/contracts';
import { instantOf, offsetsOf } from './zoned-time.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * Returns the intervals that overlap [start, end), cut to it, oldest first. @param weekly with a zone that
 * `Intl` knows
 */
export function weeklyIntervals(
  { days, from, minutes, timeZone }: Weekly,
  { from: start, to: end }: Interval,
): Interval[] {
  const offsetAt = offsetsOf(timeZone);
  const [hour = 0, minute = 0] = from.split(':').map(Number);
  const intervals: Interval[] = [];
  // An interval of the day before may reach into the first day; zones are up to 14 hours away.
  const last = end + DAY_MS;
  for (let day = startOfDay(start) - 2 * DAY_MS; day <= last; day += DAY_MS) {
    if (!days.includes(WEEKDAYS[(new Date(day).getUTCDay() + 6) % 7]!)) continue;
    const opens = instantOf(day + hour * 60 * MINUTE_MS + minute * MINUTE_MS, offsetAt);
    const interval = { from: Math.max(opens, start), to: Math.min(opens + minutes * MINUTE_MS, end) };
    if (interval.from < interval.to) intervals.push(interval);
  }
  return intervals;
}

const startOfDay = (ms: number): number => ms - (ms % DAY_MS);
