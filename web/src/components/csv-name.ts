import { zoneName } from '../time-zone.ts';

/** Returns `Events_11_21_2026.csv`: month, day and year in the zone that the person chose, as in the file. */
export function csvName(kind: 'Events' | 'Alerts' | 'Chain', now: Date, timeZone = zoneName()): string {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return `${kind}_${format.format(now).replaceAll('/', '_')}.csv`;
}
