import type { DocumentStore } from '@sentinel-node/platform';
import { OWN_COLLECTIONS } from './collections.ts';
import { needsResume } from './domain/transaction-state.ts';
import { newestTransaction } from './newest-transaction.ts';

const { transactions } = OWN_COLLECTIONS;

/**
 * Lets anchoring continue after the ledger refused the newest anchor; the running service does so, or the next one that
 * starts.
 * @returns the batch; undefined when there is none to resume
 * @throws ConflictError when its state changes at this moment
 */
export async function markResume(store: DocumentStore): Promise<number | undefined> {
  const newest = await newestTransaction(store);
  if (newest === undefined || !needsResume(newest.record.transaction!.status)) return undefined;
  if (newest.resume !== 1)
    await store.update(transactions.name, { ...newest, rev: newest.rev + 1, resume: 1 }, newest.rev);
  return newest.batch;
}
