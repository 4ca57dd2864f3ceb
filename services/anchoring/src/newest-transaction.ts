import type { DocumentStore } from '@sentinel-node/platform';
import { OWN_COLLECTIONS, type TransactionDocument } from './collections.ts';

/** Returns the transaction of the newest batch that has one; undefined when none was signed yet. */
export async function newestTransaction(
  store: Pick<DocumentStore, 'find'>,
): Promise<TransactionDocument | undefined> {
  const query = { sort: { field: 'id', direction: 'desc' }, limit: 1 } as const;
  const [last] = await store.find(OWN_COLLECTIONS.transactions.name, query);
  return last;
}
