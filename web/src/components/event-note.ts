/** Formats an event's note. The note is JSON, except for a changed device, where the note is text. */
import { alertName, ALERT_TYPES, type AlertType, type Event } from '@sentinel-node/contracts';
import { alertInformation, bytes, capitalised } from '../format.ts';
import { isOneOf, isRecord } from '../narrow.ts';

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
export function alertTypeOf(event: Event): AlertType | undefined {
  const type = event.alert?.type ?? noteOf(event)?.['type'];
  return event.type === 'ALERT' && isOneOf(ALERT_TYPES, type) ? type : undefined;
}

/** Returns the event's title for the row and the panel. */
export function eventTitle(event: Event, otherwise: string): string {
  const type = alertTypeOf(event);
  return type === undefined ? otherwise : alertName[type];
}

export function noteText(event: Event): string {
  const note = noteOf(event);
  if (note === null) return event.note;
  const alert = alertTypeOf(event);
  if (alert !== undefined) return alertInformation[alert];
  const { from, to } = note;
  if (event.type === 'FILE_DECREASED' && typeof from === 'number' && typeof to === 'number')
    return `From ${bytes(from)} to ${bytes(to)}`;
  return Object.entries(note)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${capitalised(name)}: ${worded(value)}`)
    .join('\n');
}

function worded(value: unknown): string {
  if (Array.isArray(value)) return value.map(worded).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
