import type { Event } from '@sentinel-node/contracts';

export interface Hour {
  /** Beginning of the hour, milliseconds. */
  start: number;
  label: string;
  events: number;
  alerts: number;
}

export const HOURS = 24;
const HOUR_MS = 3_600_000;

const hourLabel = new Intl.DateTimeFormat('en-US', { hour: 'numeric' });

/** Events counted by hour: the present hour and the 23 before it. */
export function byHour(events: Event[], now: number): Hour[] {
  const last = Math.floor(now / HOUR_MS) * HOUR_MS;
  const hours = Array.from({ length: HOURS }, (_, index): Hour => {
    const start = last - (HOURS - 1 - index) * HOUR_MS;
    return { start, label: hourLabel.format(start), events: 0, alerts: 0 };
  });
  const first = last - (HOURS - 1) * HOUR_MS;
  for (const event of events) {
    const hour = hours[Math.floor((Date.parse(event.timestamp) - first) / HOUR_MS)];
    if (hour === undefined) continue;
    if (event.type === 'ALERT') hour.alerts += 1;
    else hour.events += 1;
  }
  return hours;
}
