import type { DocumentStore } from '@sentinel-node/platform';
import { OWN_COLLECTIONS, type TransactionDocument } from './collections.ts';
import { needsResume } from './domain/transaction-state.ts';
import { ANCHORING_LIMITS } from './limits.ts';
import { newestTransaction } from './newest-transaction.ts';

const { transactions } = OWN_COLLECTIONS;

/**
 * Lets the oldest anchor that the ledger refused be sent again, and after the newest one lets anchoring continue; the
 * running service does so, or the next one that starts. Of several each call takes the next.
 * @returns the batch; undefined when there is none to resume
 * @throws ConflictError when its state changes at this moment
 */
export async function markResume(store: DocumentStore): Promise<number | undefined> {
  const refused = await refusedTransactions(store);
  const next = refused.find(({ resume }) => resume !== 1);
  if (next === undefined) return refused[0]?.batch;
  await store.update(transactions.name, { ...next, rev: next.rev + 1, resume: 1 }, next.rev);
  return next.batch;
}

/** Returns the refused transactions, the oldest first: the newest is not open, those before it are. */
async function refusedTransactions(store: DocumentStore): Promise<readonly TransactionDocument[]> {
  const query = { where: { open: 1 }, limit: ANCHORING_LIMITS.openTransactions } as const;
  const open = await store.find(transactions.name, query);
  const newest = await newestTransaction(store);
  const asked = open.some(({ id }) => id === newest?.id) || newest === undefined ? open : [...open, newest];
  return asked.filter(({ record }) => needsResume(record.transaction!.status));
}
