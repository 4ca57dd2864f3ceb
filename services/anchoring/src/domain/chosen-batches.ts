/** Numbers of batches that every start compares with their transactions. */
export const COMPARED = { newest: 100, random: 100 } as const;

/**
 * Returns the newest hundred batches, the first, a random hundred of the others, and those of `again`, in ascending order,
 * each once; all batches when there are few. The first is in the oldest block: whether the headers begin before it must not
 * depend on chance.
 * @param newest number of the last batch; -1 without batches
 * @param chance returns 6 random bytes
 * @param again batches that are compared in any case, also beyond the newest
 */
export function chosenBatches(
  newest: number,
  chance: () => Uint8Array,
  again: readonly number[] = [],
): number[] {
  const first = Math.max(0, newest + 1 - COMPARED.newest);
  const chosen = new Set<number>();
  if (first <= COMPARED.random) for (let batch = 0; batch < first; batch++) chosen.add(batch);
  else
    for (chosen.add(0); chosen.size <= COMPARED.random;) chosen.add(Math.floor(fraction(chance()) * first));
  for (let batch = first; batch <= newest; batch++) chosen.add(batch);
  for (const batch of again) chosen.add(batch);
  return [...chosen].sort((a, b) => a - b);
}

/** Returns a number in [0, 1). */
function fraction(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte, index) => sum + byte / 256 ** (index + 1), 0);
}
