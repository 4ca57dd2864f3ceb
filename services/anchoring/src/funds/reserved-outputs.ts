/** Finds the outputs that transactions of this system spend, or will spend. */
import type { DocumentStore } from '@sentinel-node/platform';
import { OWN_COLLECTIONS, type Consolidation, type TransactionDocument } from '../collections.ts';
import { ANCHORING_LIMITS } from '../limits.ts';

const { transactions } = OWN_COLLECTIONS;

/** Reservations by outpoint. An output that only refused transactions spend is free for anchors, and doubtful. */
export interface Reserved {
  /** Batch whose anchor spends the output. */
  readonly byAnchor: ReadonlyMap<string, number>;
  readonly byConsolidation: ReadonlyMap<string, Consolidation>;
  /** How many refused transactions spend the output, which somebody else may have spent: consolidations, and anchors signed anew. */
  readonly doubts: ReadonlyMap<string, number>;
}

/** Returns transactions that spend outputs other than the seal, newest first. */
export function fundedTransactions(store: DocumentStore): Promise<readonly TransactionDocument[]> {
  return store.find(transactions.name, {
    where: { funded: 1 },
    sort: { field: 'id', direction: 'desc' },
    limit: ANCHORING_LIMITS.fundedTransactions,
  });
}

/** @param again the batch whose anchor is signed again, so that its inputs are free, and doubtful */
export function reservedBy(funded: readonly TransactionDocument[], again?: number): Reserved {
  const anchors = funded.filter(({ batch }) => batch !== again);
  return {
    byAnchor: new Map(anchors.flatMap(({ inputs, batch }) => inputs.map((id) => [id, batch] as const))),
    byConsolidation: new Map(
      consolidationsOf(funded).flatMap((made) => made.inputs.map((id) => [id, made] as const)),
    ),
    doubts: counted(funded.flatMap((document) => refusedOf(document, again))),
  };
}

/** Returns what the refused transactions of a document spend. */
function refusedOf(
  { batch, consolidation, inputs, replaced = [] }: TransactionDocument,
  again: number | undefined,
): readonly string[] {
  const joined = consolidation?.state === 'refused' ? consolidation.inputs : [];
  return [...joined, ...(batch === again ? inputs : []), ...replaced.flatMap((anchor) => anchor.inputs)];
}

function counted(ids: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** Returns whether an anchor can spend the output. */
export function isFree(id: string, { byAnchor, byConsolidation }: Reserved): boolean {
  const state = byConsolidation.get(id)?.state;
  return !byAnchor.has(id) && (state === undefined || state === 'refused');
}

/** Returns the satoshis of open consolidations whose outputs are not kept yet. */
export function satoshisOnTheWay(
  funded: readonly TransactionDocument[],
  kept: readonly { readonly id: string }[],
): number {
  const ids = new Set(kept.map(({ id }) => id));
  return consolidationsOf(funded)
    .filter(({ state, txid }) => state === 'open' && !ids.has(joinedId(txid)))
    .reduce((sum, { funds }) => sum + funds, 0);
}

/** Returns the outpoint of a consolidation's output. */
export const joinedId = (txid: string): string => `${txid}:0`;

function consolidationsOf(funded: readonly TransactionDocument[]): Consolidation[] {
  // A newer consolidation replaces an earlier refused one with the same output.
  return funded.toReversed().flatMap(({ consolidation }) => consolidation ?? []);
}
