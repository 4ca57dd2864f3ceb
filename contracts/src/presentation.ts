/** How a person reads events and times. Shared, because the server's search matches what the console shows. */
import type { AlertStatus, AlertType, EventType } from './enums.ts';

/** Of an alert, by its type. */
export const alertName: Readonly<Record<AlertType, string>> = {
  EMPTY: 'No data',
  UNEXPECTED_CHANGE: 'Unexpected change',
  HASH_BREACH: 'Hash breach',
  ROLLED_FILE_CHANGED: 'Rolled file changed',
  HASH_BREACH_IN_REQ: 'Hash breach in request',
};

/** Words of lists and panels; the filter and the share page use the status itself. */
export const statusWord: Readonly<Record<AlertStatus, string>> = {
  ACTIVE: 'Active',
  RESOLVED: 'Dismissed',
  DEACTIVATED: 'Reset',
};

/** `DELETE_DEVICE_FORCED` → `Delete device forced`. */
export function eventName(type: EventType): string {
  const words = type.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

// Some ICU versions put a narrow no-break space before AM and PM; a person who searches types a plain one.
const plainSpaces = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ');

const zone = (timeZone: string | undefined): { timeZone?: string } =>
  timeZone === undefined ? {} : { timeZone };

/** `Nov 21, 2026`; the zone of the machine without `timeZone` (IANA name). Throws RangeError for an unknown zone. */
export function shownDate(timestamp: string, timeZone?: string): string {
  const format = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', ...zone(timeZone) });
  return plainSpaces(format.format(new Date(timestamp)));
}

/** `Nov 21, 2026, 1:05:09 PM`. */
export function shownDateTime(timestamp: string, timeZone?: string): string {
  const format = new Intl.DateTimeFormat('en-US', {
    dateStyle: 'medium',
    timeStyle: 'medium',
    ...zone(timeZone),
  });
  return plainSpaces(format.format(new Date(timestamp)));
}
