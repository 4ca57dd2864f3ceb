import { TOPICS, type ChainRecord } from '@sentinel-node/contracts';
import { conclude, decodeRecord, INITIAL_HEAD, type Head } from '@sentinel-node/chain-verifier';
import type { EventLog } from '@sentinel-node/platform';
import type { Findings } from './finding.ts';

/**
 * Judges every report, claim and policy record again and compares with what was published. `file-events` and `chain`
 * have the same partitions, so one partition is replayed after the other. @returns records judged
 */
export async function checkVerdicts(
  eventLog: EventLog,
  logId: Uint8Array,
  findings: Findings,
): Promise<number> {
  let judged = 0;
  for (const { partition, start, end } of await eventLog.bounds(TOPICS.fileEvents)) {
    const published = firstDeliveries(eventLog, partition);
    const heads = new Map<string, Head>();
    for await (const batch of eventLog.read(TOPICS.fileEvents, partition, start, end)) {
      for (const record of batch.records) {
        judged += 1;
        const head = heads.get(record.key) ?? INITIAL_HEAD;
        const conclusion = conclude(decodeRecord(record), head, record.offset, logId);
        if (conclusion === undefined) continue;
        heads.set(record.key, conclusion.head);
        const next = await published.next();
        const expected = JSON.stringify(conclusion.record);
        if (next.done === true || next.value !== expected) {
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

/** Records of the chain topic in order, second deliveries left out. */
async function* firstDeliveries(eventLog: EventLog, partition: number): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  const revisions = new Map<string, number>();
  for await (const batch of eventLog.read(TOPICS.chain, partition, 0)) {
    for (const { key, body } of batch.records) {
      const text = decoder.decode(body);
      const { rev } = JSON.parse(text) as ChainRecord;
      if (rev <= (revisions.get(key) ?? 0)) continue;
      revisions.set(key, rev);
      yield text;
    }
  }
  return undefined;
}
