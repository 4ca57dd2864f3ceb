import type { ActivityHour, Event } from '@sentinel-node/contracts';
import { zoneName } from '../time-zone.ts';

export interface Hour {
  /** Beginning of the hour, milliseconds. */
  start: number;
  label: string;
  /** Those of alerts too. */
  events: number;
  alerts: number;
}

export const HOURS = 24;
const HOUR_MS = 3_600_000;

const hourLabel = (hour: number): string =>
  new Intl.DateTimeFormat('en-US', { hour: 'numeric', timeZone: zoneName() }).format(hour);

/** The present hour and the 23 before it, with what is known of them. */
export function hoursUntil(now: number, known: readonly ActivityHour[]): Hour[] {
  const counts = new Map(known.map((hour) => [Date.parse(hour.start), hour]));
  const last = Math.floor(now / HOUR_MS) * HOUR_MS;
  return Array.from({ length: HOURS }, (_, index): Hour => {
    const start = last - (HOURS - 1 - index) * HOUR_MS;
    const { events = 0, alerts = 0 } = counts.get(start) ?? {};
    return { start, label: hourLabel(start), events, alerts };
  });
}

/** The same with one more event. */
export function withEvent(known: readonly ActivityHour[], { timestamp, type }: Event): ActivityHour[] {
  const start = new Date(Math.floor(Date.parse(timestamp) / HOUR_MS) * HOUR_MS).toISOString();
  const held = known.find((hour) => hour.start === start) ?? { start, events: 0, alerts: 0 };
  const alerts = held.alerts + (type === 'ALERT' ? 1 : 0);
  return [...known.filter((hour) => hour.start !== start), { start, events: held.events + 1, alerts }];
}

/** The least of 1, 2, 5, 10, 20 … that is not below: where an axis ends. */
export function axisEnd(highest: number): number {
  for (let power = 1; ; power *= 10)
    for (const step of [1, 2, 5]) if (step * power >= highest) return step * power;
}
