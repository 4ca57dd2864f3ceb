/**
 * Parking (architecture, rule 11): a record of file-events that cannot be judged parks its file. The record and every
 * later one of the key become dead letters, and the chain topic records it. Records of `sentinel.dead-letters.v1` have the
 * key of the source record and the id `topic:partition:offset` of its place, so that a second delivery has the same id.
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
  description: 'why it cannot be judged; quotes nothing of the record',
});
const ParkingNameSchema = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'offset in file-events of the record that parked the key: names the parking',
});

/**
 * `PARKED`: the record is dead letter `index`. The others follow from a replay record, of dead letter `index`:
 * `REPLAYED`: it was judged; `SKIPPED`: a person skipped it; `REFUSED`: it still cannot be judged.
 */
export const PARKING_OUTCOMES = ['PARKED', 'REPLAYED', 'SKIPPED', 'REFUSED'] as const;

/** Effect of one file-events record on a parked key. The parking ends when `replayed` equals `letters`. */
export const ParkingSchema = closed({
  parking: ParkingNameSchema,
  /** Offset in file-events of the record with this effect. */
  offset: CountSchema,
  index: CountSchema,
  outcome: oneOf(PARKING_OUTCOMES),
  /** Present when judging failed: for `REFUSED`, and for `PARKED` with index 0. */
  cause: Type.Optional(CauseSchema),
  /** Dead letters of this parking so far; `replayed` counts those that were judged or skipped. */
  letters: CountSchema,
  replayed: CountSchema,
});
export type Parking = Static<typeof ParkingSchema>;

/**
 * Record of the chain topic about a parking only: nothing was judged. `rev` counts on as in every other record of the
 * key.
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
 * `POISON`: the record that parked its key; `FOLLOWER`: a later record, not examined; `REFUSAL`: not a letter of its own,
 * but a notice that the replay of letter `index`, at this offset, failed.
 */
export const DEAD_LETTER_KINDS = ['POISON', 'FOLLOWER', 'REFUSAL'] as const;

export const DeadLetterSchema = closed({
  v: Type.Literal(1),
  kind: oneOf(DEAD_LETTER_KINDS),
  parking: ParkingNameSchema,
  index: CountSchema,
  /** Place, key and id of the source record. */
  topic: Type.String(),
  partition: CountSchema,
  offset: CountSchema,
  key: Type.String(),
  id: Type.String(),
  /** null for a `FOLLOWER`, which was not examined. */
  cause: nullable(CauseSchema),
  /** Highest accepted time of the key that was judged before; null when none was. */
  judgedUpTo: nullable(MillisecondsSchema),
  /** Size of the source record in bytes. */
  length: CountSchema,
  /** The source record, base64; absent for a `REFUSAL`, and when it is longer than `letterBytes`. */
  body: Type.Optional(Type.String()),
});
export type DeadLetter = Static<typeof DeadLetterSchema>;

/**
 * Header of a file-events record that replays dead letter `index`; 0x0A and the letter's bytes follow (none with `skip`).
 * Its log record has the letter's key and id. It takes effect only as the next letter of the parking that it names.
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
