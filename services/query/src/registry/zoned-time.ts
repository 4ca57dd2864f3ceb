/** Converts between local times of a zone and instants. Pure; all times in milliseconds since 1970. */

const MS_PER_SECOND = 1_000;
const DAY_MS = 24 * 3_600_000;

/** Returns whether `Intl` knows the zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Returns how far clocks of the zone are ahead of UTC at an instant. @throws RangeError unless `isTimeZone` */
export function offsetsOf(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
    const shown = Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    );
    return shown - (ms - (ms % MS_PER_SECOND));
  };
}

/**
 * Returns the instant at which clocks show `local`, which is given as if it were UTC. A skipped time gives an
 * instant as much later as the gap; a repeated time gives its first instant (`compatible` in ECMAScript's
 * Temporal).
 */
export function instantOf(local: number, offsetAt: (ms: number) => number): number {
  const [before, after] = [offsetAt(local - DAY_MS), offsetAt(local + DAY_MS)];
  const early = local - before;
  if (offsetAt(early) === before) return early;
  const late = local - after;
  return offsetAt(late) === after ? late : early;
}

/** Returns where the parts of the last `days` days begin, and where the part with `now` ends. */
export function dayParts(now: number, days: number, partsOfDay: number, timeZone: string): number[] {
  const offsetAt = offsetsOf(timeZone);
  const local = now + offsetAt(now);
  const today = local - (local % DAY_MS);
  const instants = Array.from({ length: days * partsOfDay + 1 }, (_, at) =>
    instantOf(today + DAY_MS + (at / partsOfDay - days) * DAY_MS, offsetAt),
  );
  const isOver = instants.findIndex((ms) => ms > now);
  return instants.slice(0, isOver + 1);
}
