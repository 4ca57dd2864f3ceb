/** Times of day in a time zone, including nights when clocks change. Pure. */
import { type QuietHours, zonedFormats } from '@sentinel-node/contracts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const HOUR_MINUTES = 60;

const times = zonedFormats({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** Returns the minutes since midnight on the zone's clocks. */
export const minuteOfDay = (at: number, zone: string): number => minutesOf(times(zone).format(at));

/** @param time `HH:MM` */
export function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return (hours % 24) * HOUR_MINUTES + minutes;
}

/**
 * Returns the first full minute after `after` at which clocks show `minute`. In a night that skips the
 * minute, it returns the moment as long after midnight as usual.
 */
export function nextTimeOfDay(after: number, minute: number, zone: string): number {
  const start = after - (after % MINUTE_MS);
  const ahead = (minute - minuteOfDay(start, zone) + DAY_MINUTES) % DAY_MINUTES;
  const [today, next] = [0, 1].map((days) =>
    corrected(start + (ahead + days * DAY_MINUTES) * MINUTE_MS, minute, zone),
  );
  return today! > after ? today! : next!;
}

/** Corrects a guess that assumed no clock change in between. */
function corrected(guess: number, minute: number, zone: string): number {
  const half = DAY_MINUTES / 2;
  const off = ((minute - minuteOfDay(guess, zone) + half + DAY_MINUTES) % DAY_MINUTES) - half;
  const better = guess + off * MINUTE_MS;
  return minuteOfDay(better, zone) === minute ? better : Math.max(guess, better);
}

/** Returns the given moment, or the end of the quiet hours that contain it. */
export function afterQuietHours(at: number, quiet: QuietHours | null, zone: string): number {
  if (quiet === null) return at;
  const [from, to] = [minutesOf(quiet.from), minutesOf(quiet.to)];
  const now = minuteOfDay(at, zone);
  const isQuiet = from < to ? now >= from && now < to : now >= from || now < to;
  return isQuiet ? nextTimeOfDay(at, to, zone) : at;
}
