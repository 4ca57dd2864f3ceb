import { Type } from 'typebox';

export const oneOf = <const T extends readonly string[]>(values: T, description?: string) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Type.Enum asks for a mutable list and changes nothing
  Type.Enum(values as unknown as readonly [...Mutable<T>], description === undefined ? {} : { description });

type Mutable<T extends readonly string[]> = { -readonly [K in keyof T]: T[K] };

export const ROLES = ['REGULAR', 'ADMIN'] as const;
export const RoleSchema = oneOf(ROLES);
export type Role = (typeof ROLES)[number];

export const CATEGORIES = ['STANDARD', 'ADVANCED', 'MISSION_CRITICAL'] as const;
export const CategorySchema = oneOf(CATEGORIES);
export type Category = (typeof CATEGORIES)[number];

export const FREQUENCIES = ['PROBE', 'FOLLOW'] as const;
export const FrequencySchema = oneOf(FREQUENCIES, 'PROBE is interval, FOLLOW is continuous');
export type Frequency = (typeof FREQUENCIES)[number];

export const FILE_TYPES = ['TEXT', 'BINARY'] as const;
export const FileTypeSchema = oneOf(FILE_TYPES);
export type FileType = (typeof FILE_TYPES)[number];

export const DEVICE_STATUSES = ['ACTIVE', 'NON_ACTIVE'] as const;
export const DeviceStatusSchema = oneOf(DEVICE_STATUSES);
export type DeviceStatus = (typeof DEVICE_STATUSES)[number];

export const ALERT_STATUSES = ['ACTIVE', 'RESOLVED', 'DEACTIVATED'] as const;
export const AlertStatusSchema = oneOf(ALERT_STATUSES, 'RESOLVED is dismissed, DEACTIVATED is reset');
export type AlertStatus = (typeof ALERT_STATUSES)[number];

export const HANDLED_STATUSES = ['RESOLVED', 'DEACTIVATED'] as const;
export const HandledStatusSchema = oneOf(HANDLED_STATUSES);
export type HandledStatus = (typeof HANDLED_STATUSES)[number];

export const ALERT_TYPES = [
  'EMPTY',
  'UNEXPECTED_CHANGE',
  'HASH_BREACH',
  'ROLLED_FILE_CHANGED',
  'HASH_BREACH_IN_REQ',
] as const;
export const AlertTypeSchema = oneOf(ALERT_TYPES);
export type AlertType = (typeof ALERT_TYPES)[number];

export const EVENT_TYPES = [
  'CREATE_DEVICE',
  'DELETE_DEVICE_FORCED',
  'DELETE_DEVICE_UNFORCED',
  'MODIFY_DEVICE',
  'ENABLE_DEVICE',
  'DISABLE_DEVICE',
  'CREATE_FILE',
  'DELETE_FILE',
  'MODIFY_FILE',
  'AGENT_ERROR',
  'MALFORMED_DATA',
  'FILE_DECREASED',
  'ALERT',
  'ROLLING',
  'CREATE_ENROLMENT',
  'END_ENROLMENT',
  'ENROL_DEVICE',
  'REFUSE_ENROLMENT',
  'CREATE_SERVICE_TOKEN',
  'END_SERVICE_TOKEN',
  'OPEN_MAINTENANCE',
  'CHANGE_MAINTENANCE',
  'END_MAINTENANCE',
  'REVIEW_MAINTENANCE',
  'ADD_EXPECTED_CHANGES',
  'END_EXPECTED_CHANGES',
  'ASSIGN_ALERT',
  'COMMENT_ALERT',
  'CREATE_WEBHOOK',
  'MODIFY_WEBHOOK',
  'ROTATE_WEBHOOK_SECRET',
  'DISABLE_WEBHOOK',
  'RESEND_WEBHOOK_NOTICES',
  'DELETE_WEBHOOK',
  'CREATE_NOTIFICATION_RULE',
  'MODIFY_NOTIFICATION_RULE',
  'DELETE_NOTIFICATION_RULE',
] as const;
export const EventTypeSchema = oneOf(EVENT_TYPES);
export type EventType = (typeof EVENT_TYPES)[number];

/** Types of a link in lists; a new link is BASELINE, LINK or BREAK. */
export const LINK_TYPES = ['BASELINE', 'LINK', 'BREAK', 'OVERRIDEN', 'END'] as const;
export const LinkTypeSchema = oneOf(LINK_TYPES);
export type LinkType = (typeof LINK_TYPES)[number];

export const CHANGES = [
  'FIRST',
  'UNCHANGED',
  'APPENDED',
  'REPLACED',
  'TRUNCATED',
  'ROLLED',
  'ARCHIVE_CHANGED',
  'MISSING',
  'ERROR',
] as const;
export const ChangeSchema = oneOf(CHANGES);
export type Change = (typeof CHANGES)[number];

export const CONTACTS = ['OK', 'LOST', 'WAITING'] as const;
export const ContactSchema = oneOf(CONTACTS);
export type Contact = (typeof CONTACTS)[number];

/** Anchoring states of an entry, in their order, as people read them. */
export const ANCHOR_STATES = ['RECEIVED', 'BATCHED', 'BROADCAST', 'CONFIRMED'] as const;
export const AnchorStateSchema = oneOf(ANCHOR_STATES);
export type AnchorState = (typeof ANCHOR_STATES)[number];
