import {
  bodyHash,
  isParkingRecord,
  linkHashHex,
  TOPICS,
  type ChainRecord,
  type Entry,
  type ParkingRecord,
} from '@sentinel-node/contracts';
import type { EventLog } from '@sentinel-node/platform';
import type { FileOwners } from './file-owners.ts';
import type { Findings } from './finding.ts';
import { entriesOf, readChain } from './read-body.ts';
import { Repeats } from './repeats.ts';

interface Tip {
  readonly rev: number;
  readonly number: number;
  readonly linkHash: string;
}

/**
 * Reads the chain topic and checks that every link hash follows from its entry and the one before, that numbers have
 * no gap, and that a second delivery says what the first said. @returns the number of checked entries
 */
export async function checkChains(
  eventLog: EventLog,
  logId: Uint8Array,
  findings: Findings,
  owners: Pick<FileOwners, 'judged'>,
): Promise<number> {
  let checked = 0;
  for (const { partition, end } of await eventLog.bounds(TOPICS.chain)) {
    const tips = new Map<string, Tip>();
    const repeats = new Repeats(partition);
    for await (const batch of eventLog.read(TOPICS.chain, partition, 0, end)) {
      for (const { id, key, body, offset } of batch.records) {
        const record = readChain(body);
        if (record === undefined) {
          findings.add('chains', `${key}: the record at ${partition}/${offset} cannot be read`);
          continue;
        }
        if (id !== `${key}:${record.rev}`)
          findings.add('chains', `${key}: the record at ${partition}/${offset} has the id of another, ${id}`);
        const tip = tips.get(key);
        if (tip !== undefined && record.rev <= tip.rev) {
          repeats.add(key, record, offset);
          continue;
        }
        if (!isParkingRecord(record)) owners.judged(record);
        tips.set(key, checkRecord(key, record, tip, logId, findings));
        checked += entriesOf(record).length;
      }
    }
    await repeats.compare(eventLog, findings);
  }
  return checked;
}

function checkRecord(
  subject: string,
  record: ChainRecord | ParkingRecord,
  tip: Tip | undefined,
  logId: Uint8Array,
  findings: Findings,
): Tip {
  if (record.rev !== (tip?.rev ?? 0) + 1) {
    findings.add('chains', `${subject}: revision ${record.rev} follows ${tip?.rev ?? 'nothing'}`);
  }
  let number = tip?.number ?? -1;
  let previous = tip?.linkHash ?? '';
  for (const entry of entriesOf(record)) {
    if (entry.number !== number + 1)
      findings.add('chains', `${subject}: entry ${entry.number} follows ${number}`);
    if (linkOf(subject, entry, previous, logId) !== entry.linkHash) {
      findings.add('chains', `${subject}: the link hash of entry ${entry.number} does not fit its contents`);
    }
    ({ number, linkHash: previous } = entry);
  }
  return { rev: record.rev, number, linkHash: previous };
}

function linkOf(subject: string, entry: Entry, previous: string, logId: Uint8Array): string {
  const { number } = entry;
  const before = number === 0 ? {} : { previous };
  try {
    const chain = { logId, subjectType: 'FILE', subject, number, ...before } as const;
    return linkHashHex({ ...chain, bodyHash: bodyHash(entry) });
  } catch {
    return ''; // No chain can hold this entry; the caller reports it.
  }
}
