import type { DocumentStore } from '@sentinel-node/platform';
import { batchId, OWN_COLLECTIONS, type TransactionDocument } from '../collections.ts';
import type { SpendingRate } from '../domain/days-left.ts';
import { ANCHORING_LIMITS } from '../limits.ts';

const { transactions } = OWN_COLLECTIONS;

/** Returns how fast the newest anchors spend funds. @param now milliseconds since 1970 */
export async function spendingRate(
  store: DocumentStore,
  { batch, fee }: Pick<TransactionDocument, 'batch' | 'fee'>,
  now: number,
): Promise<SpendingRate> {
  const anchors = Math.min(batch, ANCHORING_LIMITS.rateAnchors);
  const first = (await store.get(transactions.name, batchId(batch - anchors))) as
    | TransactionDocument
    | undefined;
  return { fee, anchors, periodMs: first === undefined ? 0 : now - first.at };
}
