/** Which outputs transactions of ours spend, or will. */
import type { DocumentStore } from '@sentinel-node/platform';
import { OWN_COLLECTIONS, type Consolidation, type TransactionDocument } from '../collections.ts';
import { ANCHORING_LIMITS } from '../limits.ts';

const { transactions } = OWN_COLLECTIONS;

/** By outpoint. An output that only a refused consolidation names is free, but for another consolidation. */
export interface Reserved {
  /** The batch whose anchor takes the output in. */
  readonly byAnchor: ReadonlyMap<string, number>;
  readonly byConsolidation: ReadonlyMap<string, Consolidation>;
}

/** Transactions that took in further outputs than the seal, the newest first. */
export function fundedTransactions(store: DocumentStore): Promise<readonly TransactionDocument[]> {
  return store.find(transactions.name, {
    where: { funded: 1 },
    sort: { field: 'id', direction: 'desc' },
    limit: ANCHORING_LIMITS.fundedTransactions,
  });
}

/** @param again the batch whose anchor is signed anew, so that its inputs are free */
export function reservedBy(funded: readonly TransactionDocument[], again?: number): Reserved {
  const anchors = funded.filter(({ batch }) => batch !== again);
  return {
    byAnchor: new Map(anchors.flatMap(({ inputs, batch }) => inputs.map((id) => [id, batch] as const))),
    byConsolidation: new Map(
      consolidationsOf(funded).flatMap((made) => made.inputs.map((id) => [id, made] as const)),
    ),
  };
}

/** Whether an anchor can take the output in. */
export function isFree(id: string, { byAnchor, byConsolidation }: Reserved): boolean {
  const state = byConsolidation.get(id)?.state;
  return !byAnchor.has(id) && (state === undefined || state === 'refused');
}

/** Satoshis of consolidations that are on their way, and are in no kept output yet. */
export function satoshisOnTheWay(
  funded: readonly TransactionDocument[],
  kept: readonly { readonly id: string }[],
): number {
  const ids = new Set(kept.map(({ id }) => id));
  return consolidationsOf(funded)
    .filter(({ state, txid }) => state === 'open' && !ids.has(joinedId(txid)))
    .reduce((sum, { funds }) => sum + funds, 0);
}

/** Outpoint of what a consolidation joins. */
export const joinedId = (txid: string): string => `${txid}:0`;

function consolidationsOf(funded: readonly TransactionDocument[]): Consolidation[] {
  // An earlier one that was refused gives way to the newest that names the same output.
  return funded.toReversed().flatMap(({ consolidation }) => consolidation ?? []);
}
