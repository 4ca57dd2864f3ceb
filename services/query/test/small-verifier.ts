/** Handles claims on alerts as the verifier does, over a `FileHistory`; ignores reports. */
import { decodeFileEvent, TOPICS, type ClaimRecord } from '@sentinel-node/contracts';
import type { EventLog } from '@sentinel-node/platform';
import type { Test } from 'tap';
import { appendChain, type FileHistory } from './chain-records.ts';

export function verifyClaims(t: Test, log: EventLog, history: FileHistory): Promise<ClaimRecord[]> {
  return verifyClaimsOf(t, log, new Map([[history.key.fileId, history]]));
}

/** Handles claims of several files, which may be added later. */
export async function verifyClaimsOf(
  t: Test,
  log: EventLog,
  histories: ReadonlyMap<string, FileHistory>,
): Promise<ClaimRecord[]> {
  const seen: ClaimRecord[] = [];
  const subscription = await log.consume([TOPICS.fileEvents], 'small-verifier', async ({ records }) => {
    for (const { body } of records) {
      const header = decodeFileEvent(body).header as ClaimRecord;
      if (header.kind !== 'claim') continue;
      seen.push(header);
      const history = histories.get(header.fileId);
      if (history === undefined) continue;
      const { actor: id, actorEmail: email, note, status, alertId, occurrences = Infinity } = header;
      if (history.occurrencesOf(alertId) > occurrences) continue;
      const reset = status === 'DEACTIVATED';
      await appendChain(log, [history.handled(alertId, { id, email, note, reset })]);
    }
  });
  t.teardown(() => subscription.stop());
  return seen;
}
