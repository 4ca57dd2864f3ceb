import {
  encodeChainRecord,
  isParkingRecord,
  type ChainRecord,
  type DeadLetter,
  type Parking,
  type ParkingRecord,
} from '@sentinel-node/contracts';
import type { LogRecord, RecordBatch, StoredRecord } from '@sentinel-node/platform';
import { BodyBuffer } from './body-buffer.ts';
import type { Head } from './domain/head.ts';
import { judgeRecord } from './judge-record.ts';
import { reportOfDeleted, type NotJudged } from './not-judged.ts';

/** Shared by all batches: a new chunk would be most of the cost of a small batch. */
const bodies = new BodyBuffer();

/** A step of a parked key: parked, replayed, skipped or refused. */
export interface ParkingEvent {
  readonly source: StoredRecord;
  readonly parking: Parking;
  /** Error of a failed attempt to judge. */
  readonly error?: unknown;
}

/** Result of a batch of file-events. */
export interface JudgedBatch {
  /** Records for the topic of dead letters, in the order of their sources. */
  readonly deadLetters: readonly LogRecord[];
  /** Records for the chain topic, in the order of their sources. */
  readonly records: readonly LogRecord[];
  /** Heads that changed, by key. */
  readonly heads: ReadonlyMap<string, Head>;
  readonly alertsRaised: number;
  /** Reports of deleted files, which were accepted and change nothing. */
  readonly notJudged: readonly NotJudged[];
  readonly parkings: readonly ParkingEvent[];
}

/** Recorded cause for the record at an offset; see `JudgeOptions`. */
export type RecordedCause = (offset: number) => string | undefined;

/**
 * Judges the records of a batch in order, without I/O. `before` has the head of every key of the batch. A record that
 * its head has applied already was published before and is skipped.
 * @throws UnjudgeableRecordError
 */
export function judgeBatch(
  batch: RecordBatch,
  before: ReadonlyMap<string, Head>,
  logId: Uint8Array,
  recordedCause: RecordedCause = () => undefined,
): JudgedBatch {
  const deadLetters: LogRecord[] = [];
  const records: LogRecord[] = [];
  const heads = new Map<string, Head>();
  const parkings: ParkingEvent[] = [];
  const notJudged: NotJudged[] = [];
  let alertsRaised = 0;
  for (const source of batch.records) {
    const head = heads.get(source.key) ?? before.get(source.key);
    if (head === undefined) throw new Error('the head of a key of the batch is absent');
    if (head.offset >= source.offset) continue;
    const options = { topic: batch.topic, logId, recordedCause: recordedCause(source.offset) };
    const judged = judgeRecord(source, head, options);
    if (judged === undefined) {
      const report = reportOfDeleted(source, head);
      if (report !== undefined) notJudged.push(report);
      continue;
    }
    heads.set(source.key, judged.head);
    records.push(toLogRecord(source.key, judged.record));
    alertsRaised += alertsIn(judged.record);
    if (judged.parking !== undefined) parkings.push({ source, parking: judged.parking, error: judged.error });
    if (judged.deadLetter !== undefined) deadLetters.push(toDeadLetter(judged.deadLetter));
  }
  return { deadLetters, records, heads, alertsRaised, notJudged, parkings };
}

function alertsIn(record: ChainRecord | ParkingRecord): number {
  if (isParkingRecord(record)) return 0;
  return record.alerts.filter(({ eventRequest }) => eventRequest !== undefined).length;
}

/** The id names the cause: the same state of the same file gives the same record. */
function toLogRecord(key: string, record: ChainRecord | ParkingRecord): LogRecord {
  const body = isParkingRecord(record)
    ? bodies.encode(JSON.stringify(record))
    : bodies.copy(encodeChainRecord(record));
  return { key, id: `${key}:${record.rev}`, body };
}

/** The id names the position of the source: a second delivery gives the same record. */
function toDeadLetter(deadLetter: DeadLetter): LogRecord {
  const { key, topic, partition, offset } = deadLetter;
  return { key, id: `${topic}:${partition}:${offset}`, body: bodies.encode(JSON.stringify(deadLetter)) };
}
