import {
  entryOf,
  shownDate as shownDateIn,
  shownDateTime as shownDateTimeIn,
  type AlertType,
  type AnchorState,
  type Category,
  type EntryKind,
  type Role,
} from '@sentinel-node/contracts';
import { zoneName } from './time-zone.ts';

export { alertName, capitalised, entryOf, eventName, statusWord, wordFor } from '@sentinel-node/contracts';

/** Returns `Nov 21, 2026`, in the chosen zone. */
export const shownDate = (timestamp: string): string => shownDateIn(timestamp, zoneName());

/** Returns `Nov 21, 2026, 1:05:09 PM`, in the chosen zone. */
export const shownDateTime = (timestamp: string): string => shownDateTimeIn(timestamp, zoneName());

/** Returns a time of day in the 12-hour clock, as all times are shown: `2:30 AM`. @param time hours:minutes of 24 hours */
export function shownTimeOfDay(time: string): string {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return `${hours % 12 || 12}:${String(minutes).padStart(2, '0')} ${hours < 12 ? 'AM' : 'PM'}`;
}

/** Returns the first grapheme of a name, which may have several characters, such as an emoji or an accented letter. */
export function initialOf(name: string): string {
  const [first] = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(name.trim());
  return (first?.segment ?? '').toUpperCase();
}

const alertInformation: Record<AlertType, string> = {
  EMPTY: 'There was no data in a request from the agent.',
  UNEXPECTED_CHANGE: 'A file change was detected but the file is defined as uneditable.',
  HASH_BREACH: 'The hashes of the previous version of the file do not match those in the ledger.',
  ROLLED_FILE_CHANGED: 'Unexpected change of the archived version of the file.',
  HASH_BREACH_IN_REQ: 'The file version lengths in the request are inconsistent.',
};

/** Returns what is known of alerts of a type. */
export const alertInformationOf = (type: string): string =>
  entryOf(alertInformation, type) ??
  'This page is older than the server and does not know what this type of alert means. Load it again.';

/** Returns the term for the person who handled an alert. */
export const handlerTerm = (status: string): string =>
  entryOf({ RESOLVED: 'Dismissed by', DEACTIVATED: 'Reset by' }, status) ?? 'Handled by';

export const anchorWord: Record<AnchorState, string> = {
  RECEIVED: 'received',
  BATCHED: 'batched',
  BROADCAST: 'broadcast',
  CONFIRMED: 'confirmed',
};

/** Kinds of entries in words, for proofs and the chain of a file. */
export const entryWord: Record<EntryKind, string> = {
  GENESIS: 'Chain begins',
  BASELINE: 'Baseline',
  LINK: 'Link',
  BREAK: 'Break',
  DISMISSED: 'Alert dismissed',
  RESET: 'Chain reset',
  POLICY: 'Policy changed',
  ENABLED: 'Monitoring started',
  DISABLED: 'Monitoring stopped',
  DELETED: 'File deleted',
  CHILD_ADDED: 'Child added',
  CHILD_CHANGED: 'Child changed',
  CHILD_DELETED: 'Child deleted',
  KEY: 'Key recorded',
};

export const categoryWord: Record<Category, string> = {
  STANDARD: 'Standard',
  ADVANCED: 'Advanced',
  MISSION_CRITICAL: 'Mission critical',
};

export const roleWord: Record<Role, string> = { REGULAR: 'Regular user', ADMIN: 'Admin' };

const EXACT_BYTES_MAX = 10_000_000;
const MEBIBYTE = 1_048_576;

/** Returns the exact `1,100 B`, because one byte matters; from 10 million bytes on `12.4 MiB`. */
export function bytes(length: number): string {
  if (length < EXACT_BYTES_MAX) return `${length.toLocaleString('en-US')} B`;
  return `${(length / MEBIBYTE).toLocaleString('en-US', { maximumFractionDigits: 1 })} MiB`;
}

/** Returns a rounded percentage such as `80`; never rounds to 100 or to 0. */
export function wholePercent(value: number): string {
  if (value < 100 && Math.round(value) === 100) return '> 99';
  if (value > 0 && Math.round(value) === 0) return '< 1';
  return String(Math.round(value));
}
export const percent = (value: number): string => `${wholePercent(value)}%`;

/** Returns `3 files` or `1 file`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;

const STEPS: [seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' });

/** Returns `5 minutes ago`, or a date from a week on. */
export function ago(timestamp: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(timestamp)) / 1000));
  if (seconds >= 7 * 86_400) return shownDate(timestamp);
  for (const [size, unit] of STEPS) {
    if (seconds >= size) return relative.format(-Math.floor(seconds / size), unit);
  }
  return 'just now';
}

/** Returns `1 hour 5 minutes`: the two largest units, without a zero second unit. */
export function duration(seconds: number): string {
  const parts: string[] = [];
  let rest = Math.round(seconds);
  for (const [size, unit] of STEPS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(plural(count, unit));
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.length === 0 ? 'a minute' : parts.join(' ');
}

const UNITS: [seconds: number, unit: string][] = [
  [86_400, 'day'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** Returns the exact `1 min 30 s` or `2 days`; a second decides whether a file was checked in time. */
export function exactDuration(seconds: number): string {
  const parts: string[] = [];
  let rest = seconds;
  for (const [size, unit] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(unit === 'day' ? plural(count, unit) : `${count} ${unit}`);
  }
  return parts.join(' ');
}

const WHOLE_UNITS = new Map([
  [1, 'second'],
  [60, 'minute'],
  [3_600, 'hour'],
  [86_400, 'day'],
]);

/** Returns `Every hour` or `Every 1 min 30 s`. */
export const everyWord = (seconds: number): string =>
  `Every ${WHOLE_UNITS.get(seconds) ?? exactDuration(seconds)}`;

/** Returns how often a typed number of seconds is; undefined unless it is a whole number from 1 on. */
export const typedEvery = (text: string): string | undefined =>
  isTypedSeconds(text) ? everyWord(Number(text)) : undefined;

export const isTypedSeconds = (text: string): boolean => /^[1-9]\d{0,8}$/.test(text.trim());

/** Returns `Nov 21, 2026` and `1:05:09 PM`, for table cells of two lines. */
export function dateAndTime(timestamp: string): { date: string; time: string } {
  const date = shownDate(timestamp);
  return { date, time: shownDateTime(timestamp).slice(date.length + 2) };
}

/** Returns the beginning and end of a long hash. */
export const shortHash = (hash: string, head = 8, tail = 6): string =>
  hash.length <= head + tail + 1 ? hash : `${hash.slice(0, head)}…${hash.slice(-tail)}`;
