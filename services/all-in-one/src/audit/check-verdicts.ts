import {
  encodeChainRecord,
  equalBytes,
  isCompact,
  isParkingRecord,
  TOPICS,
  utf8,
  type ChainRecord,
  type ParkingRecord,
} from '@sentinel-node/contracts';
import {
  INITIAL_HEAD,
  judgeRecord,
  RecordedDecisions,
  strayCause,
  type Head,
} from '@sentinel-node/chain-verifier';
import type { EventLog, StoredRecord } from '@sentinel-node/platform';
import type { Findings } from './finding.ts';
import { readChain } from './read-body.ts';

/** Told of what a pass over the reports comes to. */
export interface VerdictObservers {
  /** Called with each record that changed the head of its key, and that head. */
  onHead(record: StoredRecord, head: Head): Promise<void>;
  /** Called with each record. */
  onRecord(record: StoredRecord): void;
}

/**
 * Judges every report, claim and policy record again and compares the verdicts with the published ones.
 * `file-events` and `chain` have the same partitions, so partitions are replayed one after the other. A
 * record that could not be judged is a recorded decision, taken from the dead letters even if this version
 * could judge the record.
 * @returns the number of judged records
 */
export async function checkVerdicts(
  eventLog: EventLog,
  logId: Uint8Array,
  findings: Findings,
  { onHead = () => Promise.resolve(), onRecord = () => undefined }: Partial<VerdictObservers> = {},
): Promise<number> {
  let judged = 0;
  const topic = TOPICS.fileEvents;
  const decisions = new RecordedDecisions(eventLog);
  await decisions.refresh();
  const bounds = await eventLog.bounds(topic);
  for (const { partition, end } of bounds) {
    const published = firstDeliveries(eventLog, partition);
    const heads = new Map<string, Head>();
    for await (const batch of eventLog.read(topic, partition, 0, end)) {
      for (const record of batch.records) {
        const stray = strayCause(record, bounds.length);
        if (stray !== undefined) {
          const what = `no program of this system put it there (${stray}), and it is not judged`;
          findings.add('verdicts', `the record of ${topic} at ${partition}/${record.offset}: ${what}`);
          continue;
        }
        judged += 1;
        onRecord(record);
        const head = heads.get(record.key) ?? INITIAL_HEAD;
        const recordedCause = decisions.causeOf(topic, partition, record.offset);
        const conclusion = judgeRecord(record, head, { topic, logId, recordedCause });
        if (conclusion === undefined) continue;
        heads.set(record.key, conclusion.head);
        await onHead(record, conclusion.head);
        const next = await published.next();
        if (next.done === true || !isBodyOf(conclusion.record, next.value)) {
          const where = `${record.key} revision ${conclusion.record.rev}`;
          findings.add(
            'verdicts',
            `${where}: ${next.done === true ? 'was never published' : 'another verdict was published'}`,
          );
        }
      }
    }
    if ((await published.next()).done !== true) {
      findings.add('verdicts', `partition ${partition}: the chain topic holds a record that no report gives`);
    }
  }
  return judged;
}

/** Returns whether the bytes encode the record, compared in the encoding of the bytes. */
function isBodyOf(record: ChainRecord | ParkingRecord, body: Uint8Array): boolean {
  const encoded = !isParkingRecord(record) && isKnownCompact(body);
  return equalBytes(body, encoded ? encodeChainRecord(record) : utf8(JSON.stringify(record)));
}

function isKnownCompact(body: Uint8Array): boolean {
  try {
    return isCompact(body);
  } catch {
    return false;
  }
}

/** Yields the bodies of a chain partition in order, without repeated revisions. */
async function* firstDeliveries(
  eventLog: EventLog,
  partition: number,
): AsyncGenerator<Uint8Array, undefined> {
  const revisions = new Map<string, number>();
  for await (const batch of eventLog.read(TOPICS.chain, partition, 0)) {
    for (const { key, body } of batch.records) {
      const before = revisions.get(key) ?? 0;
      // An unreadable record counts as the next revision.
      const rev = readChain(body)?.rev ?? before + 1;
      if (rev <= before) continue;
      revisions.set(key, rev);
      yield body;
    }
  }
  return undefined;
}
