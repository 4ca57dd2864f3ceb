import type { ChainRecord } from '@sentinel-node/contracts';
import type { LogRecord, RecordBatch, StoredRecord } from '@sentinel-node/platform';
import { INITIAL_HEAD, type Head } from '../../src/index.ts';
import { conclude, decodeRecord } from '../../src/index.ts';
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
  readonly heads: ReadonlyMap<string, Head>;
}

/** The plainest verifier: one record after the other, heads in a map. The others must agree with it. */
export function judgePlainly(log: MemoryLog): Judged {
  const heads = new Map<string, Head>();
  const published = new Map<string, string[]>();
  for (const record of log.partitions.flat()) {
    const before = heads.get(record.key) ?? INITIAL_HEAD;
    const concluded = conclude(decodeRecord(record), before, record.offset, LOG_ID);
    if (concluded === undefined) continue;
    heads.set(record.key, concluded.head);
    published.set(record.key, [...(published.get(record.key) ?? []), JSON.stringify(concluded.record)]);
  }
  return { published, heads };
}

const decoder = new TextDecoder();

/** First records of each id, by key; a second record of an id with other bytes is thrown as the fork it is. */
export function withoutDuplicates(records: readonly LogRecord[]): Map<string, string[]> {
  const seen = new Map<string, string>();
  const byKey = new Map<string, string[]>();
  for (const { body, id, key } of records) {
    const text = decoder.decode(body);
    const known = seen.get(id);
    if (known !== undefined && known !== text) throw new Error(`two records ${id}`);
    if (known !== undefined) continue;
    seen.set(id, text);
    byKey.set(key, [...(byKey.get(key) ?? []), text]);
  }
  return byKey;
}

export const parsed = (texts: readonly string[]): ChainRecord[] =>
  texts.map((text) => JSON.parse(text) as ChainRecord);

export function batchOf(partition: number, records: readonly StoredRecord[]): RecordBatch {
  return { topic: 'file-events', partition, records };
}
