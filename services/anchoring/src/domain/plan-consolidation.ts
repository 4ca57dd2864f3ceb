/** Which small outputs of the anchoring key one transaction joins. */
import type { FeePolicy } from '@sentinel-node/platform';

/** Bytes that one input with its signature adds to a transaction. */
export const INPUT_BYTES = 149;
/** An output is joined if it is worth so many times what it costs as an input: more than half of what is joined stays. */
const WORTH_FEES = 2;

export interface ConsolidationBounds {
  /** Fewer are left as they are: one anchor takes as many in. */
  readonly least: number;
  /** Of one transaction. */
  readonly most: number;
  /** Satoshis; an output of so many is not small. */
  readonly smallBelow: number;
}

/** The smallest of the free outputs that are worth their input, the smallest first; none: there are too few. */
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
