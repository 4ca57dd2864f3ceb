import { newestOf, type DocumentStore } from '@sentinel-node/platform';
import { OWN_COLLECTIONS, type TransactionDocument } from './collections.ts';

/** Returns the transaction of the newest batch that has one; undefined when none was signed yet. */
export function newestTransaction(
  store: Pick<DocumentStore, 'find'>,
): Promise<TransactionDocument | undefined> {
  return newestOf(store, OWN_COLLECTIONS.transactions.name);
}
