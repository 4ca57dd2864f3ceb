/** Formats an event's note. The note is JSON, except for a changed device, where the note is text. */
import { alertName, ROLES, WeeklySchema, type Archive } from '@sentinel-node/contracts';
import type { Event } from '../answers.ts';
import { Check } from 'typebox/value';
import {
  alertInformationOf,
  bytes,
  capitalised,
  roleWord,
  shortHash,
  shownDateTime,
  wordFor,
} from '../format.ts';
import { isOneOf, isRecord } from '../narrow.ts';
import { weeklyWords } from '../components/maintenance-words.ts';

function noteOf(event: Event): Readonly<Record<string, unknown>> | null {
  if (event.type === 'MODIFY_DEVICE') return null;
  try {
    const note: unknown = JSON.parse(event.note);
    return isRecord(note) ? note : null;
  } catch {
    // A plain text is shown unchanged.
    return null;
  }
}

/** Returns the type of the alert that an event raised. */
export function alertTypeOf(event: Event): string | undefined {
  const type = event.alert?.type ?? noteOf(event)?.['type'];
  return event.type === 'ALERT' && typeof type === 'string' ? type : undefined;
}

/** Returns the event's title for the row and the panel. */
export function eventTitle(event: Event, otherwise: string): string {
  const type = alertTypeOf(event);
  return type === undefined ? otherwise : wordFor(alertName, type);
}

// Not by its schema: that of reports would bring hashes into what the console begins with.
const isArchive = (value: unknown): value is Archive =>
  isRecord(value) &&
  typeof value['name'] === 'string' &&
  typeof value['length'] === 'number' &&
  typeof value['hash'] === 'string';

const archiveText = ({ name, length, hash }: Archive): string =>
  `${name}, ${bytes(length)}, ${shortHash(hash)}`;

export function noteText(event: Event): string {
  const note = noteOf(event);
  if (note === null) return event.note;
  const alert = alertTypeOf(event);
  if (alert !== undefined) return alertInformationOf(alert);
  const { from, to } = note;
  if (event.type === 'FILE_DECREASED' && typeof from === 'number' && typeof to === 'number')
    return `From ${bytes(from)} to ${bytes(to)}`;
  const { archives } = note;
  if (event.type === 'ROLLING' && Array.isArray(archives) && archives.every(isArchive))
    return archives.length === 0 ? 'No archive was named.' : archives.map(archiveText).join('\n');
  return Object.entries(note)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${capitalised(spaced(name))}: ${worded(value, name)}`)
    .join('\n');
}

/** Converts `previousValidUntil` to `previous valid until`. */
const spaced = (name: string): string =>
  name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const FIELD_NAME = /^[a-z]+([A-Z][a-z]+)+$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/** @param name of the value: only `changed` lists names of fields, other texts may be somebody's */
function worded(value: unknown, name: string): string {
  if (Array.isArray(value)) return value.map((one) => worded(one, name)).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Check(WeeklySchema, value)) return weeklyWords(value);
  if (typeof value === 'object') return JSON.stringify(value);
  const text = String(value);
  if (TIMESTAMP.test(text)) return shownDateTime(text);
  if (name === 'role' && isOneOf(ROLES, text)) return wordFor(roleWord, text);
  return name === 'changed' && FIELD_NAME.test(text) ? spaced(text) : text;
}
