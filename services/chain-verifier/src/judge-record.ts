import {
  PARKING_LIMITS,
  type ChainRecord,
  type DeadLetter,
  type Parking,
  type ParkingRecord,
} from '@sentinel-node/contracts';
import type { StoredRecord } from '@sentinel-node/platform';
import { decodeAny, decodeRecord, PoisonRecordError, type Replay } from './decode.ts';
import { conclude } from './domain/apply.ts';
import { UnknownRulesError } from './domain/decide.ts';
import type { Head, Parked } from './domain/head.ts';
import { parkedBy, refused, replayed, skipped, type Step } from './domain/parking.ts';
import type { Source } from './domain/source.ts';

/** Result of a record of file-events. */
export interface Judged {
  readonly head: Head;
  readonly record: ChainRecord | ParkingRecord;
  readonly parking?: Parking;
  readonly deadLetter?: DeadLetter;
  /** Error of a failed attempt to judge. */
  readonly error?: unknown;
}

export interface JudgeOptions {
  readonly topic: string;
  /** 32 bytes. */
  readonly logId: Uint8Array;
  /**
   * Recorded cause of this record, which was found unjudgeable once and stays so in every version. undefined: the record is
   * judged.
   */
  readonly recordedCause?: string | undefined;
}

/** This version must neither judge nor park the record. */
export class UnjudgeableRecordError extends Error {
  readonly code = 'UNJUDGEABLE_RECORD';
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key: string;

  constructor(topic: string, record: StoredRecord, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`${topic} partition ${record.partition} offset ${record.offset}: ${why}`, { cause });
    this.name = 'UnjudgeableRecordError';
    this.topic = topic;
    this.partition = record.partition;
    this.offset = record.offset;
    this.key = record.key;
  }
}

/**
 * Judges one record from the head after exactly the preceding records of its key, without I/O. A record that cannot be
 * judged parks the key; a parked key takes dead letters and replays of the next one only. undefined: nothing follows.
 * @throws UnjudgeableRecordError for rules of a newer version: parking would put the whole fleet aside
 */
export function judgeRecord(record: StoredRecord, head: Head, options: JudgeOptions): Judged | undefined {
  try {
    return head.parked === undefined
      ? judgeFree(record, head, options)
      : judgeParked(record, head, head.parked, options);
  } catch (error) {
    throw new UnjudgeableRecordError(options.topic, record, error);
  }
}

function judgeFree(record: StoredRecord, head: Head, options: JudgeOptions): Judged | undefined {
  const attempt = attempted(options.recordedCause, () => {
    const source = decodeAny(record);
    // The replay belongs to a parking that has ended.
    return source.kind === 'replay' ? undefined : conclude(source, head, record.offset, options.logId);
  });
  if ('cause' in attempt) {
    const step = parkedBy(head, record.offset, attempt.cause);
    return { ...step, deadLetter: deadLetterOf('POISON', record, head, step, options), error: attempt.error };
  }
  return attempt.result;
}

function judgeParked(
  record: StoredRecord,
  head: Head,
  parked: Parked,
  options: JudgeOptions,
): Judged | undefined {
  const replay = replayIn(record);
  if (replay === undefined) {
    const step = parkedBy(head, record.offset);
    return { ...step, deadLetter: deadLetterOf('FOLLOWER', record, head, step, options) };
  }
  const { parking, index, skip } = replay.header;
  if (parking !== parked.parking || index !== parked.replayed) return undefined;
  if (skip === true) return skipped(head, parked, record.offset);
  const attempt = attempted(options.recordedCause, () => {
    const source: Source = decodeRecord({ key: record.key, body: replay.wrapped });
    return conclude(source, head, record.offset, options.logId);
  });
  if (!('cause' in attempt)) return replayed(head, parked, record.offset, attempt.result);
  const step = refused(head, parked, record.offset, attempt.cause);
  return { ...step, deadLetter: deadLetterOf('REFUSAL', record, head, step, options), error: attempt.error };
}

/** undefined: the record is not a replay. */
function replayIn(record: StoredRecord): Replay | undefined {
  try {
    const source = decodeAny(record);
    return source.kind === 'replay' ? source : undefined;
  } catch (error) {
    if (error instanceof PoisonRecordError || error instanceof UnknownRulesError) return undefined;
    throw error;
  }
}

type Attempt<T> = { readonly result: T } | { readonly cause: string; readonly error?: unknown };

function attempted<T>(recordedCause: string | undefined, judge: () => T): Attempt<T> {
  if (recordedCause !== undefined) return { cause: recordedCause };
  try {
    return { result: judge() };
  } catch (error) {
    if (error instanceof UnknownRulesError) throw error;
    return { cause: causeOf(error), error };
  }
}

/** Only messages of this package: other messages may quote the record. */
function causeOf(error: unknown): string {
  const name = error instanceof Error ? error.name : typeof error;
  const cause = error instanceof PoisonRecordError ? error.message : `judging it failed (${name})`;
  return cause.slice(0, PARKING_LIMITS.causeCharacters);
}

function deadLetterOf(
  kind: DeadLetter['kind'],
  { partition, offset, key, id, body }: StoredRecord,
  head: Head,
  { parking }: Step,
  { topic }: JudgeOptions,
): DeadLetter {
  const isKept = kind !== 'REFUSAL' && body.length <= PARKING_LIMITS.letterBytes;
  return {
    v: 1,
    kind,
    parking: parking.parking,
    index: parking.index,
    topic,
    partition,
    offset,
    key,
    id,
    cause: parking.cause ?? null,
    judgedUpTo: head.time === 0 ? null : head.time,
    length: body.length,
    ...(isKept ? { body: Buffer.from(body.buffer, body.byteOffset, body.length).toString('base64') } : {}),
  };
}
