/** Chooses the small outputs of the anchoring key that one transaction joins. */
import type { FeePolicy } from '@sentinel-node/platform';

/** Bytes that one input with its signature adds to a transaction. */
export const INPUT_BYTES = 149;
/**
 * An output must be worth this many times its cost as an input, so that about half of the joined value, or more, stays.
 */
const WORTH_FEES = 2;

export interface ConsolidationBounds {
  /** Fewer outputs are not joined, because one anchor can spend as many. */
  readonly least: number;
  /** The most outputs of one transaction. */
  readonly most: number;
  /** Satoshis below which an output is small. */
  readonly smallBelow: number;
}

/**
 * Returns the smallest free outputs that are worth their cost as an input, in ascending order; none if there are too
 * few.
 */
export function planConsolidation<T extends { readonly id: string; readonly satoshis: number }>(
  free: readonly T[],
  { satoshis, bytes }: FeePolicy,
  { least, most, smallBelow }: ConsolidationBounds,
): readonly T[] {
  const worth = (WORTH_FEES * INPUT_BYTES * satoshis) / bytes;
  const small = free.filter((output) => output.satoshis >= worth && output.satoshis < smallBelow);
  if (small.length < least) return [];
  return small.toSorted((a, b) => a.satoshis - b.satoshis || (a.id < b.id ? -1 : 1)).slice(0, most);
}
