import type { DocumentStore } from '@sentinel-node/platform';
import { OWN_COLLECTIONS, type TransactionDocument } from './collections.ts';
import { isRefused } from './domain/transaction-state.ts';
import { ANCHORING_LIMITS } from './limits.ts';
import { newestTransaction } from './newest-transaction.ts';

const { transactions } = OWN_COLLECTIONS;

export interface Resumed {
  readonly batch: number;
  /** Number of other refused anchors that the next calls resume. */
  readonly left: number;
}

/**
 * Lets an anchor that the ledger refused be sent again, and if it is the newest, lets anchoring continue; the running
 * service does so, or the next one that starts. Of several each call takes the one that was resumed least often, the
 * oldest first, so that the newest has its turn although older ones stay refused.
 * @returns undefined when there is none to resume
 * @throws ConflictError when its state changes at this moment
 */
export async function markResume(store: DocumentStore): Promise<Resumed | undefined> {
  const refused = await refusedTransactions(store);
  const waiting = refused.filter(({ resume }) => resume !== 1);
  const [next] = waiting.toSorted((one, other) => (one.resumes ?? 0) - (other.resumes ?? 0));
  if (next === undefined) return refused[0] && { batch: refused[0].batch, left: 0 };
  const marked = { ...next, rev: next.rev + 1, resume: 1, resumes: (next.resumes ?? 0) + 1 } as const;
  await store.update(transactions.name, marked, next.rev);
  return { batch: next.batch, left: waiting.length - 1 };
}

/** Returns the refused transactions, the oldest first: the newest is not open, those before it are. */
async function refusedTransactions(store: DocumentStore): Promise<readonly TransactionDocument[]> {
  const query = { where: { open: 1 }, limit: ANCHORING_LIMITS.openTransactions } as const;
  const open = await store.find(transactions.name, query);
  const newest = await newestTransaction(store);
  const asked = open.some(({ id }) => id === newest?.id) || newest === undefined ? open : [...open, newest];
  return asked.filter(isRefused);
}
