import {
  type Activity,
  type ActivityHour,
  type ActivityPeriod,
  type ContactPart,
  zonedFormats,
} from '@sentinel-node/contracts';
import type { Event } from './answers.ts';
import { plural } from './format.ts';
import { zoneAt, zoneName } from './time-zone.ts';

/** One bar of the chart: an hour, or a part of a day. */
export interface Part {
  /** Start in ms since 1970. */
  start: number;
  label: string;
  /** Label below the bar; null without one, for lack of space. */
  tick: string | null;
  /** Number of events, alerts included. */
  events: number;
  alerts: number;
}

export const HOURS = 24;
const HOUR_MS = 3_600_000;
/** Hours between two labels of the axis. The first label is inset, so that its text fits. */
const LABEL_HOURS = 4;
const FIRST_LABEL = 1;
const PARTS_OF_DAY: Record<ActivityPeriod, number> = { '7d': 4, '30d': 1 };
/** Days between two labels of the axis. */
const LABEL_DAYS: Record<ActivityPeriod, number> = { '7d': 1, '30d': 7 };

const hourFormats = zonedFormats({ hour: 'numeric' });
const minuteFormats = zonedFormats({ hour: 'numeric', minute: '2-digit' });
const dayFormats = zonedFormats({ month: 'short', day: 'numeric' });
const weekdayFormats = zonedFormats({ weekday: 'short', month: 'short', day: 'numeric' });

/** Returns `1 PM`; `1:30 PM` in a zone that is no whole number of hours from UTC, where the server's hours begin. */
function hourLabel(start: number): string {
  const isWhole = minuteFormats(zoneName())
    .formatToParts(start)
    .every(({ type, value }) => type !== 'minute' || Number(value) === 0);
  return (isWhole ? hourFormats : minuteFormats)(zoneName()).format(start);
}

/** Returns the current hour and the 23 before, with their known counts. */
export function hoursUntil(now: number, known: readonly ActivityHour[]): Part[] {
  const counts = new Map(known.map((hour) => [Date.parse(hour.start), hour]));
  const last = Math.floor(now / HOUR_MS) * HOUR_MS;
  const starts = Array.from({ length: HOURS }, (_, index) => last - (HOURS - 1 - index) * HOUR_MS);
  const labels = starts.map(hourLabel);
  return starts.map((start, index): Part => {
    const { events = 0, alerts = 0 } = counts.get(start) ?? {};
    const short = labels[index] ?? '';
    // The hour that comes twice when clocks go back.
    const isTwice = labels.filter((label) => label === short).length > 1;
    const label = isTwice ? `${short} ${zoneAt(start)}` : short;
    return { start, label, tick: index % LABEL_HOURS === FIRST_LABEL ? short : null, events, alerts };
  });
}

/** Returns the bars of the server's parts of days. */
export function partsOf({ parts }: Activity, period: ActivityPeriod): Part[] {
  const partsOfDay = PARTS_OF_DAY[period];
  return parts.map(({ start, events, alerts }, index) => {
    const at = Date.parse(start);
    const day = weekdayFormats(zoneName()).format(at);
    const isLabelled = index % (partsOfDay * LABEL_DAYS[period]) === 0;
    return {
      start: at,
      label: partsOfDay === 1 ? day : `${day}, ${hourFormats(zoneName()).format(at)}`,
      tick: isLabelled ? dayFormats(zoneName()).format(at) : null,
      events,
      alerts,
    };
  });
}

/** Returns the hours with one more event. */
export function withEvent(known: readonly ActivityHour[], { timestamp, type }: Event): ActivityHour[] {
  const start = new Date(Math.floor(Date.parse(timestamp) / HOUR_MS) * HOUR_MS).toISOString();
  const held = known.find((hour) => hour.start === start) ?? { start, events: 0, alerts: 0 };
  return [...known.filter((hour) => hour.start !== start), plusOne(held, type)];
}

/** Returns the activity with one more event; null when the event belongs to a later part, which must be read. */
export function withEventOfDays(activity: Activity, { timestamp, type }: Event): Activity | null {
  const at = Date.parse(timestamp);
  if (at >= Date.parse(activity.until)) return null;
  const index = activity.parts.findLastIndex(({ start }) => Date.parse(start) <= at);
  const parts = activity.parts.map((part, place) => (place === index ? plusOne(part, type) : part));
  return { ...activity, parts };
}

const plusOne = (part: ActivityHour, type: Event['type']): ActivityHour => ({
  ...part,
  events: part.events + 1,
  alerts: part.alerts + (type === 'ALERT' ? 1 : 0),
});

/** Returns the end of an axis: the least of 1, 2, 5, 10, 20 … that is at least `highest`. */
export function axisEnd(highest: number): number {
  for (let power = 1; ; power *= 10)
    for (const step of [1, 2, 5]) if (step * power >= highest) return step * power;
}

/** One column of the picture of contact. */
export interface ContactColumn extends Pick<Part, 'start' | 'label' | 'tick'> {
  /** Monitored files; null where the server did not look. */
  files: Pick<ContactPart, 'inContact' | 'waiting' | 'lost' | 'looks'> | null;
}

/** Returns a column for each part; a part without a look is not known. */
export function contactColumns(parts: readonly Part[], looked: readonly ContactPart[]): ContactColumn[] {
  const known = new Map(looked.map((part) => [Date.parse(part.start), part]));
  return parts.map(({ start, label, tick }) => ({ start, label, tick, files: known.get(start) ?? null }));
}

/**
 * Returns the contact in words; a time without a look is never said to be good.
 * @param unit word for several of the columns' times
 */
export function contactText(columns: readonly ContactColumn[], unit: string): string {
  const files = columns.flatMap((column) => column.files ?? []);
  if (files.length === 0) return 'not known yet';
  const unknown = columns.length - files.length;
  const lost = Math.max(...files.map((each) => each.lost));
  const waiting = Math.max(...files.map((each) => each.waiting));
  const found = [
    lost > 0 ? `up to ${plural(lost, 'file')} without contact` : '',
    waiting > 0 ? `up to ${plural(waiting, 'file')} waiting` : '',
    unknown > 0 ? `${unknown} of ${columns.length} ${unit} not known` : '',
  ].filter((text) => text !== '');
  if (files.every((each) => each.inContact + each.waiting + each.lost === 0))
    found.unshift('no monitored files');
  return found.length === 0 ? 'all in contact at each look' : found.join(', ');
}
