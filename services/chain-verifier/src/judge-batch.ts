import type { LogRecord, RecordBatch, StoredRecord } from '@sentinel-node/platform';
import type { ChainRecord } from '@sentinel-node/contracts';
import { BodyBuffer } from './body-buffer.ts';
import { decodeRecord } from './decode.ts';
import { conclude, type Conclusion } from './domain/apply.ts';
import type { Head } from './domain/head.ts';

/** Shared by all batches: a chunk of its own would be most of what a small batch costs. */
const bodies = new BodyBuffer();

/** What a batch of file-events gives. */
export interface JudgedBatch {
  /** For the chain topic, in the order of the records they follow from. */
  readonly records: readonly LogRecord[];
  /** Heads that changed, by key. */
  readonly heads: ReadonlyMap<string, Head>;
  readonly alertsRaised: number;
}

/** A record that no attempt can judge; the service stops before it. */
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
 * Judges the records of a batch in order, without I/O. `before` has the head of every key of the batch. A record that
 * its head has applied already was published before: it is passed over.
 * @throws UnjudgeableRecordError
 */
export function judgeBatch(
  batch: RecordBatch,
  before: ReadonlyMap<string, Head>,
  logId: Uint8Array,
): JudgedBatch {
  const records: LogRecord[] = [];
  const heads = new Map<string, Head>();
  let alertsRaised = 0;
  for (const record of batch.records) {
    const head = heads.get(record.key) ?? before.get(record.key);
    if (head === undefined) throw new Error('the head of a key of the batch is absent');
    if (head.offset >= record.offset) continue;
    const concluded = concludeRecord(batch.topic, record, head, logId);
    if (concluded === undefined) continue;
    heads.set(record.key, concluded.head);
    records.push(toLogRecord(record.key, concluded.record));
    for (const alert of concluded.record.alerts) if (alert.eventRequest !== undefined) alertsRaised++;
  }
  return { records, heads, alertsRaised };
}

function concludeRecord(
  topic: string,
  record: StoredRecord,
  head: Head,
  logId: Uint8Array,
): Conclusion | undefined {
  try {
    return conclude(decodeRecord(record), head, record.offset, logId);
  } catch (error) {
    throw new UnjudgeableRecordError(topic, record, error);
  }
}

/** The id names the cause: the same state of the same file gives the same record. */
function toLogRecord(key: string, record: ChainRecord): LogRecord {
  return { key, id: `${key}:${record.rev}`, body: bodies.encode(JSON.stringify(record)) };
}
