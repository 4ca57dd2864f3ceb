/** Compares the transactions that the log names with those that were signed. */
import { fromHex, omit } from '@sentinel-node/contracts';
import type { DocumentStore } from '@sentinel-node/platform';
import { batchId, OWN_COLLECTIONS } from '../collections.ts';
import { compareBatch, tipOf } from './compare-batch.ts';

const { cuts, transactions } = OWN_COLLECTIONS;

/**
 * Returns in words why a transaction in the log is none that was signed for the batch; undefined when it is.
 * A refused and replaced transaction is kept; it has to anchor the same batch over the same seal.
 * @param txid hex, as explorers show it
 */
export async function loggedDifference(
  { store, logId }: { readonly store: Pick<DocumentStore, 'get'>; readonly logId: Uint8Array },
  batch: number,
  txid: string,
): Promise<string | undefined> {
  const document = await store.get(transactions.name, batchId(batch));
  if (document === undefined) return 'the log has a transaction of it that the store has not';
  const { record, replaced = [] } = document;
  if (record.transaction?.txid === txid) return undefined;
  const anchor = replaced.find((other) => other.txid === txid);
  if (anchor === undefined) return 'the store has another transaction of it than the log';
  const [cut, cutBefore, documentBefore] = await Promise.all([
    store.get(cuts.name, batchId(batch)),
    store.get(cuts.name, batchId(batch - 1)),
    store.get(transactions.name, batchId(batch - 1)),
  ]);
  if (cut === undefined) return 'its cut is missing';
  const hasBefore = documentBefore !== undefined && cutBefore !== undefined;
  const before = hasBefore ? tipOf(documentBefore, cutBefore) : undefined;
  if (before === undefined && batch > 0) return 'the transaction before it is missing';
  const logRoot = fromHex(cut.cut.logRoot);
  const transaction = { ...record.transaction!, txid };
  // The evidence is of the transaction that replaced it.
  const earlier = { ...document, ...anchor, record: { ...omit(record, 'evidence'), transaction } };
  const { difference } = compareBatch({ logId, cut: cut.cut, logRoot, document: earlier, before });
  return difference && `an earlier transaction of it: ${difference}`;
}
