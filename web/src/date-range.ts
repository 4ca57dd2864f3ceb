import { isUtc } from './time-zone.ts';

/** A range of time as the person chose it. */
export type DateChoice = { option: DateOption } | { option: 'CUSTOM'; from: string; to: string };

/** Ranges in minutes back from now; ALL has no limit. */
export const DATE_OPTIONS = [
  { value: 'ALL', label: 'All time' },
  { value: '30', label: 'Last 30min' },
  { value: '60', label: 'Last hour' },
  { value: '1440', label: 'Last day' },
  { value: '10080', label: 'Last week' },
  { value: '43200', label: 'Last month' },
] as const;
export type DateOption = (typeof DATE_OPTIONS)[number]['value'];

export interface TimestampRange {
  timestampFrom?: string;
  timestampTo?: string;
}

/** Returns the choice in the form of the calls (ISO 8601, UTC). */
export function rangeOf(choice: DateChoice, now: number): TimestampRange {
  if (choice.option === 'CUSTOM') return { timestampFrom: choice.from, timestampTo: choice.to };
  if (choice.option === 'ALL') return {};
  return { timestampFrom: new Date(now - Number(choice.option) * 60_000).toISOString() };
}

/** Returns whether the range goes on with the time. */
export const isMoving = ({ option }: DateChoice): boolean => option !== 'ALL' && option !== 'CUSTOM';

export const inRange = (timestamp: string, range: TimestampRange): boolean =>
  (range.timestampFrom === undefined || timestamp >= range.timestampFrom) &&
  (range.timestampTo === undefined || timestamp <= range.timestampTo);

/**
 * Returns the first millisecond of a date input's day (`2026-11-21`) in the chosen zone, ISO 8601; `dayEnd` the last.
 */
export function dayStart(day: string): string {
  return momentIn(`${day}T00:00:00.000`);
}
export function dayEnd(day: string): string {
  // Not 23:59:59.999: where clocks go back at midnight (Egypt, Lebanon, Chile), the last hour of a day comes twice.
  const next = new Date(Date.parse(`${day}T00:00:00.000Z`) + DAY_MS)
    .toISOString()
    .slice(0, 'yyyy-mm-dd'.length);
  return new Date(Date.parse(dayStart(next)) - 1).toISOString();
}

const DAY_MS = 86_400_000;
/** How far clocks go back: half an hour on Lord Howe Island, an hour elsewhere. */
const REPEATED_MS = [1_800_000, 3_600_000];

/** Converts a local day and time in the chosen zone to ISO 8601; a time that comes twice to its first moment. */
const momentIn = (text: string): string => new Date(isUtc() ? `${text}Z` : text).toISOString();

/** Returns the last moment at which clocks of the chosen zone show what they show at this one. */
function lastOfSame(moment: string): string {
  if (isUtc()) return moment;
  const first = new Date(moment);
  const offset = first.getTimezoneOffset() * 60_000;
  const later = REPEATED_MS.map((ms) => new Date(first.getTime() + ms)).find(
    (date) => date.getTimezoneOffset() * 60_000 - offset === date.getTime() - first.getTime(),
  );
  return (later ?? first).toISOString();
}

const two = (value: number): string => String(value).padStart(2, '0');

/** Returns year, month from 1 and day in the chosen zone. */
const dayOf = (date: Date): [year: number, month: number, day: number] =>
  isUtc()
    ? [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]
    : [date.getFullYear(), date.getMonth() + 1, date.getDate()];

const inputText = ([year, month, day]: ReturnType<typeof dayOf>): string =>
  `${year}-${two(month)}-${two(day)}`;

/** Returns a date in the form of a date input, in the chosen zone. */
export const inputDay = (date: Date): string => inputText(dayOf(date));

/**
 * Returns the last month until now, the default of an export; its first day is at most the last of the month before.
 */
export function lastMonth(now: Date): { from: string; to: string } {
  const [year, month, day] = dayOf(now);
  const [yearBefore, before] = month === 1 ? [year - 1, 12] : [year, month - 1];
  const lastDay = new Date(Date.UTC(yearBefore, before, 0)).getUTCDate();
  return { from: inputText([yearBefore, before, Math.min(day, lastDay)]), to: inputDay(now) };
}

/** Last day of a range: the calls have years of four digits, in UTC, whatever the zone. */
export const LAST_DAY = '9999-12-30';

const isDay = (day: string): boolean => day.length === LAST_DAY.length && day <= LAST_DAY;

/** Returns what is wrong with a date input's day; undefined for a day that a range can have. @param empty text for no day */
export function dayError(day: string, empty: string): string | undefined {
  if (day === '') return empty;
  return isDay(day) ? undefined : 'The year has at most four digits';
}

/** Pattern of hh:mm on a 12-hour clock. */
export const TIME_PATTERN = /^(0?[1-9]|1[0-2]):[0-5]\d$/;

export const PERIODS = ['AM', 'PM'] as const;
export type Period = (typeof PERIODS)[number];

/**
 * Converts a day, hh:mm and AM or PM in the chosen zone to ISO 8601. A time that comes twice, where clocks go back, is its first
 * moment as the beginning of a range, and its last one as the `end`. The end of a range is the last ms of its minute.
 */
export function momentOf(day: string, time: string, period: Period, end: 'beginning' | 'end'): string {
  const [hours = '0', minutes = '0'] = time.split(':');
  const hour = (Number(hours) % 12) + (period === 'PM' ? 12 : 0);
  const seconds = end === 'end' ? '59.999' : '00.000';
  const first = momentIn(`${day}T${two(hour)}:${minutes}:${seconds}`);
  return end === 'end' ? lastOfSame(first) : first;
}

/** Returns whether a text is ISO 8601 in UTC with milliseconds, as the calls need. */
export const isMoment = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) && !Number.isNaN(Date.parse(text));
