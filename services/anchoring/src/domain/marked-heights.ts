import { ANCHORING_LIMITS } from '../limits.ts';

/**
 * Returns the heights whose blocks a mark remembers, the highest first: the newest hundred, then at distances that double, and the
 * first. So a mark of any chain has some thirty blocks more, and tells where another chain parts from it.
 */
export function markedHeights(tip: number, first: number): readonly number[] {
  const { markedBlocks } = ANCHORING_LIMITS;
  const heights = Array.from({ length: markedBlocks }, (_, at) => tip - at);
  for (let distance = markedBlocks; distance < tip - first; distance *= 2) heights.push(tip - distance);
  return [...heights.filter((height) => height > first), first];
}
