/** The first step of a check: the fields of the entry match its link hash. */
import { toHex } from '../bytes/bytes.ts';
import { bodyHash, linkHashHex, ZERO_HASH } from '../hashes.ts';
import type { ProofFindings } from './findings.ts';
import type { Proof, ProofEntry } from './proof.ts';

const NO_ENTRY_BEFORE = toHex(ZERO_HASH);

export function checkEntry({ log, subject, entry }: Proof, findings: ProofFindings): void {
  findings.claim('ACCEPTED_AT');
  findings.claim('ORIGIN');
  if (entry.reportedAt !== undefined) findings.claim('REPORTED_AT');
  const isBegin = subject.type === 'FILE' && entry.kind === 'GENESIS';
  if (isBegin && subject.deviceId !== undefined && subject.deviceId !== entry.child)
    findings.fail('DEVICE_DIFFERS');
  if (subject.orgId !== undefined || (subject.deviceId !== undefined && !isBegin)) findings.claim('OWNER');
  const expected = linkHashOf(log.logId, subject, entry);
  if (expected === undefined) findings.fail('ENTRY_IMPOSSIBLE');
  else if (expected !== entry.linkHash) findings.fail('LINK_HASH_DIFFERS');
  else findings.hold('LINK');
}

/** Returns the link hash, hex; undefined when the fields contradict one another. */
function linkHashOf(logId: string, subject: Proof['subject'], entry: ProofEntry): string | undefined {
  const { number, previous, ...fields } = entry;
  if ((number === 0) !== (previous === NO_ENTRY_BEFORE)) return undefined;
  if ((entry.kind === 'BREAK') !== (entry.alertType !== undefined)) return undefined;
  if ((entry.contentHash === undefined) !== (entry.length === undefined)) return undefined;
  const place = { logId, subjectType: subject.type, subject: subject.id, number, previous };
  return linkHashHex({ ...place, bodyHash: bodyHash(fields) });
}
