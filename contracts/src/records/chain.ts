/**
 * Records of `sentinel.chain.v1` (key as in file-events): all results of one file-events record, so that they are
 * projected together or not at all. `rev` counts the records of the key that `evolve` has applied. A `ParkingRecord` of
 * the same topic describes changes of a parked key.
 */
import { Type, type Static } from 'typebox';
import { AlertStatusSchema, AlertTypeSchema, CategorySchema, EventTypeSchema, oneOf } from '../enums.ts';
import {
  closed,
  CountSchema,
  HashSchema,
  IdSchema,
  MillisecondsSchema,
  nullable,
  UuidSchema,
} from '../schemas/common.ts';
import { AttributeChangesSchema } from '../schemas/attributes.ts';
import { ParkingSchema } from './dead-letters.ts';
import { recorded } from './recorded.ts';

export const ENTRY_KINDS = [
  'GENESIS',
  'BASELINE',
  'LINK',
  'BREAK',
  'DISMISSED',
  'RESET',
  'POLICY',
  'ENABLED',
  'DISABLED',
  'CHILD_ADDED',
  'CHILD_CHANGED',
  'CHILD_DELETED',
  'DELETED',
  'KEY',
] as const;

/** Fields that the body hash of an entry covers (`EntryBody`). */
export const bodyFields = {
  kind: oneOf(ENTRY_KINDS),
  alertType: Type.Optional(AlertTypeSchema),
  nonce: Type.String({ pattern: '^[0-9a-f]{32}$', description: "the entry's own nonce" }),
  acceptedAt: MillisecondsSchema,
  reportedAt: Type.Optional(MillisecondsSchema),
  sequence: Type.Optional(CountSchema),
  versionIndex: CountSchema,
  contentHash: Type.Optional(HashSchema),
  length: Type.Optional(CountSchema),
  reportHash: Type.Optional(HashSchema),
  policyHash: HashSchema,
  causeNumber: Type.Optional(CountSchema),
  actor: Type.Optional(UuidSchema),
  noteHash: Type.Optional(HashSchema),
  child: Type.Optional(UuidSchema),
};

/**
 * An entry of a subject's chain with everything that its `linkHash` covers (the page on evidence of the specification,
 * "Entries of a subject's chain").
 */
export const EntrySchema = closed({
  id: IdSchema,
  number: CountSchema,
  ...bodyFields,
  linkHash: HashSchema,
  /** This and the following fields are for views and are not hashed. */
  firstHash: Type.Boolean(),
  alertId: Type.Optional(IdSchema),
  whileDisabled: Type.Optional(Type.Literal(true)),
});
export type Entry = Static<typeof EntrySchema>;

/** The whole alert after the record; `eventRequest` (the report's text as received) only in the record that raised it. */
export const ChainAlertSchema = closed({
  id: IdSchema,
  timestamp: MillisecondsSchema,
  status: AlertStatusSchema,
  type: AlertTypeSchema,
  /** First BREAK link. */
  hashId: IdSchema,
  breakNumber: CountSchema,
  occurrences: CountSchema,
  lastTimestamp: MillisecondsSchema,
  overrideUser: nullable(UuidSchema),
  overrideUserEmail: nullable(Type.String()),
  handledAt: nullable(MillisecondsSchema),
  note: nullable(Type.String()),
  /** Absent when no attribute is known to differ. */
  attributeChanges: Type.Optional(recorded(AttributeChangesSchema)),
  eventRequest: Type.Optional(Type.String()),
});
export type ChainAlert = Static<typeof ChainAlertSchema>;

export const ChainEventSchema = closed({
  id: IdSchema,
  type: EventTypeSchema,
  alertId: nullable(IdSchema),
  hashId: nullable(IdSchema),
  note: Type.String(),
});
export type ChainEvent = Static<typeof ChainEventSchema>;

/** State of the file after the record. */
export const FileStateSchema = closed({
  length: nullable(CountSchema),
  hash: nullable(HashSchema),
  missing: Type.Boolean(),
  /** Highest sequence judged; 0 before the first report. */
  sequence: CountSchema,
  configVersion: CountSchema,
  /** Last entry of the chain. */
  number: nullable(CountSchema),
  linkHash: nullable(HashSchema),
  /** Newest entry among BASELINE, LINK, BREAK. */
  lastLinkId: nullable(IdSchema),
  activeAlerts: CountSchema,
  /** Accepted time of the last successful check (any report but ERROR). */
  checkedAt: nullable(MillisecondsSchema),
  /** Accepted time of the last report. */
  contactAt: nullable(MillisecondsSchema),
  /** Present when attributes are watched and the agent has reported them. */
  attributesTold: Type.Optional(Type.Literal(true)),
});
export type FileState = Static<typeof FileStateSchema>;

export const ChainRecordSchema = closed({
  v: Type.Literal(1),
  rules: CountSchema,
  orgId: UuidSchema,
  deviceId: UuidSchema,
  /** null for a notice of the device itself. */
  fileId: nullable(UuidSchema),
  rev: CountSchema,
  /** max of the accepted time of the record and of the file's head before it. */
  timestamp: MillisecondsSchema,
  /** Category of the policy in force; decides the anchoring deadline. */
  category: CategorySchema,
  entries: Type.Array(EntrySchema),
  alerts: Type.Array(ChainAlertSchema),
  events: Type.Array(ChainEventSchema),
  file: nullable(FileStateSchema),
  /** Present when the judged record is a replayed dead letter. */
  parking: Type.Optional(ParkingSchema),
});
export type ChainRecord = Static<typeof ChainRecordSchema>;
