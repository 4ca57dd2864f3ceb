import { decodeRecord, type Source } from '@sentinel-node/chain-verifier';
import { TOPICS, type KeptReceipt } from '@sentinel-node/contracts';
import type { EventLog, StoredRecord } from '@sentinel-node/platform';
import type { Findings } from './finding.ts';

/**
 * Looks for the report of each receipt in the log, whether or not it made an entry: nothing else shows that an accepted
 * report was dropped before it was anchored.
 * @param receipts signed by the key of this log
 */
export async function checkReceipts(
  eventLog: EventLog,
  receipts: readonly KeptReceipt[],
  findings: Findings,
): Promise<void> {
  const missing = new Map(
    receipts.map((kept) => [placeOf(kept.fileId, kept.reportHash, kept.receipt.acceptedAt), kept]),
  );
  const files = new Set(receipts.map(({ fileId }) => fileId));
  for (const { partition, end } of await eventLog.bounds(TOPICS.fileEvents))
    for await (const { records } of eventLog.read(TOPICS.fileEvents, partition, 0, end))
      for (const record of records) {
        if (!files.has(record.key)) continue;
        const source = sourceOf(record);
        if (source?.kind === 'report')
          missing.delete(placeOf(record.key, source.reportHash, source.header.acceptedAt));
      }
  for (const { fileId, receipt, reportHash } of missing.values()) {
    const accepted = `accepted at ${new Date(receipt.acceptedAt).toISOString()} by a signed receipt`;
    findings.add('receipts', `FILE ${fileId}: the log has not the report ${reportHash}, ${accepted}`);
  }
}

const placeOf = (...parts: readonly (string | number)[]): string => parts.join(' ');

/** Returns undefined for a record that cannot be read, which the audit names elsewhere. */
function sourceOf(record: StoredRecord): Source | undefined {
  try {
    return decodeRecord(record);
  } catch {
    return undefined;
  }
}
