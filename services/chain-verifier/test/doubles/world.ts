import { decodeChainBody, TOPICS, type ChainRecord, type DeadLetter } from '@sentinel-node/contracts';
import type { LogRecord, RecordBatch, StoredRecord } from '@sentinel-node/platform';
import { INITIAL_HEAD, judgeRecord, type Head } from '../../src/index.ts';
import { LOG_ID, type Made } from '../dsl/records.ts';
import { Teller } from '../dsl/story.ts';
import { FILES, type Told } from './arbitraries.ts';
import { MemoryLog } from './memory-ports.ts';

export const PARTITIONS = 2;
const fileId = (n: number): string => `01932b5e-7c00-7a11-8b22-00000000010${n}`;

/** Writes a history as the log of file-events holds it, each file told by its own teller. */
export function writeHistory(told: readonly Told[]): Made[] {
  const tellers = Array.from({ length: FILES }, (_, n) => new Teller({}, fileId(n)));
  return told.flatMap(({ file, step }) => {
    const teller = tellers[file]!;
    const before = teller.log.length;
    teller.tell(step);
    return teller.log.slice(before);
  });
}

/** Puts records into partitions, with offsets. */
export function logOf(records: readonly Made[]): MemoryLog {
  const log = new MemoryLog(PARTITIONS);
  for (const record of records) log.put(record);
  return log;
}

export interface Judged {
  /** Published texts by key, in order. */
  readonly published: ReadonlyMap<string, readonly string[]>;
  /** Dead letters by key, in order. */
  readonly deadLetters: ReadonlyMap<string, readonly string[]>;
  readonly heads: ReadonlyMap<string, Head>;
}

/** The plainest verifier: one record after the other, heads in a map. The others must agree with it. */
export class PlainVerifier implements Judged {
  readonly heads = new Map<string, Head>();
  readonly published = new Map<string, string[]>();
  readonly deadLetters = new Map<string, string[]>();
  /** The letters that hold a record, by key. */
  readonly replayable = new Map<string, DeadLetter[]>();

  take(record: StoredRecord): void {
    const before = this.heads.get(record.key) ?? INITIAL_HEAD;
    const judged = judgeRecord(record, before, { topic: TOPICS.fileEvents, logId: LOG_ID });
    if (judged === undefined) return;
    this.heads.set(record.key, judged.head);
    push(this.published, record.key, JSON.stringify(judged.record));
    if (judged.deadLetter === undefined) return;
    push(this.deadLetters, record.key, JSON.stringify(judged.deadLetter));
    if (judged.deadLetter.kind !== 'REFUSAL') push(this.replayable, record.key, judged.deadLetter);
  }
}

export function judgePlainly(log: MemoryLog): Judged {
  const verifier = new PlainVerifier();
  for (const record of log.partitions.flat()) verifier.take(record);
  return verifier;
}

function push<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** First records of each id as JSON, by key; a second record of an id with other bytes is thrown as the fork it is. */
export function withoutDuplicates(records: readonly LogRecord[]): Map<string, string[]> {
  const seen = new Map<string, string>();
  const byKey = new Map<string, string[]>();
  for (const { body, id, key } of records) {
    const text = JSON.stringify(decodeChainBody(body));
    const known = seen.get(id);
    if (known !== undefined && known !== text) throw new Error(`two records ${id}`);
    if (known !== undefined) continue;
    seen.set(id, text);
    push(byKey, key, text);
  }
  return byKey;
}

export const parsed = (texts: readonly string[]): ChainRecord[] =>
  texts.map((text) => JSON.parse(text) as ChainRecord);

export function batchOf(partition: number, records: readonly StoredRecord[]): RecordBatch {
  return { topic: TOPICS.fileEvents, partition, records };
}
