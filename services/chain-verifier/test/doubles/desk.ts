import {
  DeadLetterSchema,
  TOPICS,
  type ChainRecord,
  type DeadLetter,
  type ParkingRecord,
} from '@sentinel-node/contracts';
import { compileChecker, type LogRecord } from '@sentinel-node/platform';
import { INITIAL_HEAD, judgeRecord, replayRecordOf, type Head } from '../../src/index.ts';
import { LOG_ID, type Made } from '../dsl/records.ts';

const letterChecker = compileChecker(DeadLetterSchema);

/** One partition of file-events and who judges it, record by record; what was judged unjudgeable can be given. */
export class Desk {
  readonly heads = new Map<string, Head>();
  readonly published: (ChainRecord | ParkingRecord)[] = [];
  readonly deadLetters: DeadLetter[] = [];
  offset = 0;

  /** What the chain topic is told; undefined: nothing. */
  put({ key, id, body }: LogRecord, recordedCause?: string): ChainRecord | ParkingRecord | undefined {
    const record = { key, id, body, partition: 0, offset: this.offset++ };
    const options = { topic: TOPICS.fileEvents, logId: LOG_ID, recordedCause };
    const judged = judgeRecord(record, this.heads.get(key) ?? INITIAL_HEAD, options);
    if (judged === undefined) return undefined;
    this.heads.set(key, judged.head);
    this.published.push(judged.record);
    if (judged.deadLetter !== undefined) {
      if (!letterChecker.check(judged.deadLetter)) throw new Error('a dead letter that does not fit');
      this.deadLetters.push(judged.deadLetter);
    }
    return judged.record;
  }

  replay(index: number, skip = false): ChainRecord | ParkingRecord | undefined {
    const deadLetter = this.deadLetters.findLast((one) => one.index === index && one.kind !== 'REFUSAL');
    if (deadLetter === undefined) throw new Error(`no letter ${index}`);
    return this.put(replayRecordOf(deadLetter, skip));
  }
}

/** The record with other text in it. */
export function edited(made: Made, before: string, after: string): Made {
  const text = new TextDecoder().decode(made.body);
  if (!text.includes(before)) throw new Error(`the record has no ${before}`);
  return { ...made, body: new TextEncoder().encode(text.replace(before, after)) };
}
