/**
 * Parking (architecture, rule 11): a record of file-events that cannot be judged parks its file. The record and every
 * later one of the key become dead letters, and the chain topic says so. Records of `sentinel.dead-letters.v1` have the
 * key of the source record and the id `topic:partition:offset` of its place, so that a second delivery has the same.
 */
import { Type, type Static } from 'typebox';
import { oneOf } from '../enums.ts';
import { closed, CountSchema, MillisecondsSchema, nullable } from '../schemas/common.ts';

export const PARKING_LIMITS = {
  causeCharacters: 200,
  /** A longer record becomes a dead letter without its bytes. No report is that long, so it can only be skipped. */
  letterBytes: 2 * 1_048_576,
} as const;

const CauseSchema = Type.String({
  maxLength: PARKING_LIMITS.causeCharacters,
  description: 'why it cannot be judged; quotes nothing of the record',
});
const ParkingNameSchema = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'offset in file-events of the record that parked the key: names the parking',
});

/**
 * `PARKED`: the record is dead letter `index`. The others follow from a replay record, of dead letter `index`:
 * `REPLAYED`: it was judged; `SKIPPED`: a person passed it over; `REFUSED`: it still cannot be judged.
 */
export const PARKING_OUTCOMES = ['PARKED', 'REPLAYED', 'SKIPPED', 'REFUSED'] as const;

/** What one record of file-events did to a parked key. It is parked no longer when `replayed` equals `letters`. */
export const ParkingSchema = closed({
  parking: ParkingNameSchema,
  /** Offset in file-events of the record that this follows from. */
  offset: CountSchema,
  index: CountSchema,
  outcome: oneOf(PARKING_OUTCOMES),
  /** Where judging was tried and failed: `REFUSED`, and `PARKED` with index 0. */
  cause: Type.Optional(CauseSchema),
  /** Dead letters of this parking so far; those of them that were judged or skipped. */
  letters: CountSchema,
  replayed: CountSchema,
});
export type Parking = Static<typeof ParkingSchema>;

/**
 * A record of the chain topic that says only what happened to the parking: nothing was judged. `rev` counts on as in
 * every other record of the key.
 */
export const ParkingRecordSchema = closed({
  v: Type.Literal(1),
  kind: Type.Literal('parking'),
  rev: CountSchema,
  /** Highest accepted time judged so far; 0 before the first. */
  timestamp: MillisecondsSchema,
  parking: ParkingSchema,
});
export type ParkingRecord = Static<typeof ParkingRecordSchema>;

/** Distinguishes the two kinds of records of the chain topic before either is checked. */
export function isParkingRecord(value: unknown): value is ParkingRecord {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'parking';
}

/**
 * `POISON`: the record that parked its key; `FOLLOWER`: a later one, not looked at; `REFUSAL`: no letter of its own,
 * but that the replay of letter `index`, at this offset, failed.
 */
export const DEAD_LETTER_KINDS = ['POISON', 'FOLLOWER', 'REFUSAL'] as const;

export const DeadLetterSchema = closed({
  v: Type.Literal(1),
  kind: oneOf(DEAD_LETTER_KINDS),
  parking: ParkingNameSchema,
  index: CountSchema,
  /** Where the source record stands, and under which key and id. */
  topic: Type.String(),
  partition: CountSchema,
  offset: CountSchema,
  key: Type.String(),
  id: Type.String(),
  /** null: it was not tried (`FOLLOWER`). */
  cause: nullable(CauseSchema),
  /** Highest accepted time of the key that was judged before; null when none was. */
  judgedUpTo: nullable(MillisecondsSchema),
  /** Of the source record, bytes. */
  length: CountSchema,
  /** The source record, base64; absent for a `REFUSAL`, and when it is longer than `letterBytes`. */
  body: Type.Optional(Type.String()),
});
export type DeadLetter = Static<typeof DeadLetterSchema>;

/**
 * Header of a record of file-events that brings dead letter `index` back: 0x0A and the letter's bytes follow (none with
 * `skip`). Its log record has the letter's key and id. It counts only as the next one of the parking that it names.
 */
export const ReplayHeaderSchema = closed({
  kind: Type.Literal('replay'),
  v: Type.Literal(1),
  key: Type.String(),
  parking: ParkingNameSchema,
  index: CountSchema,
  /** A person decided to skip the letter. */
  skip: Type.Optional(Type.Literal(true)),
});
export type ReplayHeader = Static<typeof ReplayHeaderSchema>;
