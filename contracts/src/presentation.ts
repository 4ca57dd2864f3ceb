/** Texts of events and times for people. Shared, because the server's search matches the texts of the console. */
import type { AlertStatus, AlertType, EventType } from './enums.ts';
import { zonedFormats } from './zoned-format.ts';

/** Converts `ACTIVE` to `Active` and `HASH_BREACH` to `Hash breach`. */
export function capitalised(value: string): string {
  const words = value.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the entry of a value; undefined for a value that this version does not know. */
export const entryOf = <V>(entries: Readonly<Partial<Record<string, V>>>, value: string): V | undefined =>
  Object.hasOwn(entries, value) ? entries[value] : undefined;

/** Returns the word for a value; the value itself as a word when this version does not know it. */
export const wordFor = (words: Readonly<Partial<Record<string, string>>>, value: string): string =>
  entryOf(words, value) ?? capitalised(value);

/** Name of an alert type. */
export const alertName: Readonly<Record<AlertType, string>> = {
  EMPTY: 'File missing',
  UNEXPECTED_CHANGE: 'Unexpected change',
  HASH_BREACH: 'Hash breach',
  ROLLED_FILE_CHANGED: 'Rolled file changed',
  HASH_BREACH_IN_REQ: 'Hash breach in request',
};

/** Word for an alert status in lists and panels; the filter and the share page use the status itself. */
export const statusWord: Readonly<Record<AlertStatus, string>> = {
  ACTIVE: 'Active',
  RESOLVED: 'Dismissed',
  DEACTIVATED: 'Reset',
};

const eventNames: Readonly<Record<EventType, string>> = {
  CREATE_DEVICE: 'Device added',
  DELETE_DEVICE_FORCED: 'Device deleted with its files',
  DELETE_DEVICE_UNFORCED: 'Device deleted',
  MODIFY_DEVICE: 'Device changed',
  ENABLE_DEVICE: 'Device monitoring started',
  DISABLE_DEVICE: 'Device monitoring stopped',
  CREATE_FILE: 'File added',
  DELETE_FILE: 'File deleted',
  MODIFY_FILE: 'File settings changed',
  AGENT_ERROR: 'Agent error',
  MALFORMED_DATA: 'Malformed data',
  FILE_DECREASED: 'File got shorter',
  ALERT: 'Alert',
  ROLLING: 'File rolled',
  CREATE_ENROLMENT: 'Enrolment token made',
  END_ENROLMENT: 'Enrolment token ended',
  ENROL_DEVICE: 'Device enrolled',
  REFUSE_ENROLMENT: 'Enrolment refused',
  CREATE_SERVICE_TOKEN: 'Service token made',
  END_SERVICE_TOKEN: 'Service token ended',
  OPEN_MAINTENANCE: 'Maintenance window made',
  CHANGE_MAINTENANCE: 'Maintenance window changed',
  END_MAINTENANCE: 'Maintenance window ended',
  REVIEW_MAINTENANCE: 'Maintenance window reviewed',
  ADD_EXPECTED_CHANGES: 'List of expected changes added',
  END_EXPECTED_CHANGES: 'List of expected changes ended',
  ASSIGN_ALERT: 'Alert assigned',
  COMMENT_ALERT: 'Comment on an alert',
  CREATE_WEBHOOK: 'Webhook made',
  MODIFY_WEBHOOK: 'Webhook changed',
  ROTATE_WEBHOOK_SECRET: 'Secret of a webhook rotated',
  DISABLE_WEBHOOK: 'Webhook disabled',
  RESEND_WEBHOOK_NOTICES: 'Dead letters of a webhook sent again',
  DELETE_WEBHOOK: 'Webhook deleted',
  CREATE_NOTIFICATION_RULE: 'Notification rule made',
  MODIFY_NOTIFICATION_RULE: 'Notification rule changed',
  DELETE_NOTIFICATION_RULE: 'Notification rule deleted',
};

/** Returns the name of an event type for people. */
export const eventName = (type: string): string => wordFor(eventNames, type);

/** Returns the words of an event's row without file, device and time; of an alert also its type and current status. */
export function eventWords(event: {
  readonly type: string;
  readonly alert?: { readonly type: string; readonly status: string } | undefined;
}): string[] {
  const { type, alert } = event;
  if (alert === undefined || type !== 'ALERT') return [eventName(type)];
  return [`${wordFor(alertName, alert.type)} ${wordFor(statusWord, alert.status)}`, eventName(type)];
}

/** Words of the marks that set an alert aside. */
export const markWord = { planned: 'Planned', expected: 'Expected' } as const;

/** Returns the words of an alert's row without file, device and time. */
export const alertWords = ({
  type,
  status,
  occurrences,
  assignee,
  planned,
  expected,
}: {
  readonly type: string;
  readonly status: string;
  readonly occurrences?: number;
  readonly assignee?: { readonly email: string } | null | undefined;
  readonly planned?: object | null | undefined;
  readonly expected?: object | null | undefined;
}): string[] => [
  wordFor(alertName, type),
  wordFor(statusWord, status),
  ...(occurrences === undefined || occurrences === 1 ? [] : [`×${occurrences}`]),
  ...(assignee ? [assignee.email] : []),
  ...(planned ? [markWord.planned] : []),
  ...(expected ? [markWord.expected] : []),
];

/** Returns a time in both shown spellings: `Nov 21, 2026, 1:05:09 PM`, and as in tables, without the second comma. */
export const searchedTimes = (shown: string): string[] => [shown, shown.replace(/(\d{4}),/, '$1')];

/** Returns true when one of the texts contains the search text, ignoring case. */
export function containsText(texts: readonly (string | null)[], search: string): boolean {
  const needle = search.trim().toLowerCase();
  return texts.some((text) => text !== null && text.toLowerCase().includes(needle));
}

// Some ICU versions put a narrow no-break space before AM and PM; a person who searches types a plain one.
const plainSpaces = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ');

/** ISO 8601, or milliseconds since 1970. */
type Time = string | number;

const dates = zonedFormats({ dateStyle: 'medium' });
const datesAndTimes = zonedFormats({ dateStyle: 'medium', timeStyle: 'medium' });

/** `Nov 21, 2026`; the zone of the machine without `timeZone` (IANA name). @throws RangeError for an unknown zone */
export const shownDate = (time: Time, timeZone?: string): string =>
  plainSpaces(dates(timeZone).format(new Date(time)));

/** `Nov 21, 2026, 1:05:09 PM`. */
export const shownDateTime = (time: Time, timeZone?: string): string =>
  plainSpaces(datesAndTimes(timeZone).format(new Date(time)));
