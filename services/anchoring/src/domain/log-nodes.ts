/**
 * Computes nodes of the log from the peaks that each cut recorded: a node needs one or two cuts, for a log of any size.
 */
import {
  consistencyRanges,
  leafHash,
  nodeHash,
  pathPlaces,
  rootOfRange,
  type LeafRange,
} from '@sentinel-node/contracts';

/** The log after a batch. */
export interface LogAfter {
  /** Peaks of the compact range, largest first. */
  readonly peaks: readonly Uint8Array[];
  /** Header of the batch, 182 bytes. */
  readonly header: Uint8Array;
}

/** Reads the log of `size` batches; `size` is at least one. */
export type ReadLog = (size: number) => Promise<LogAfter>;

/**
 * Returns the consistency proof (RFC 6962 section 2.1.2) from `from` batches to `to`; empty for equal sizes. 1 ≤ from
 * ≤ to.
 */
export async function consistencyOf(from: number, to: number, read: ReadLog): Promise<Uint8Array[]> {
  const path: Uint8Array[] = [];
  for (const range of consistencyRanges(from, to)) path.push(await rangeRoot(range, read));
  return path;
}

/**
 * Returns the inclusion path (RFC 6962 section 2.1.1) of leaf `index` in the log of `size` batches. 0 ≤ index < size.
 */
export async function inclusionOf(index: number, size: number, read: ReadLog): Promise<Uint8Array[]> {
  const path: Uint8Array[] = [];
  for (const [height, at] of pathPlaces(size, index)) {
    const begin = at * 2 ** height;
    path.push(await rangeRoot([begin, Math.min(size, begin + 2 ** height)], read));
  }
  return path;
}

const rangeRoot = (range: LeafRange, read: ReadLog): Promise<Uint8Array> =>
  rootOfRange(range, (begin, height) => nodeBefore(begin + 2 ** height, height, read));

/**
 * Returns the root of the 2^height leaves before `end`, a multiple of 2^height. Reads the logs of `end` and of `end`
 * − 1 leaves.
 */
export async function nodeBefore(end: number, height: number, read: ReadLog): Promise<Uint8Array> {
  const { header, peaks } = await read(end);
  // The last peak of a log is the root of the largest subtree at its end.
  if (height > 0 && end % 2 ** (height + 1) !== 0) return peaks.at(-1)!;
  const leaf = leafHash(header);
  if (height === 0) return leaf;
  // A right child belongs to a larger subtree, whose left parts are the last peaks of the log without the last leaf.
  const { peaks: before } = await read(end - 1);
  return before.slice(-height).reduceRight((right, left) => nodeHash(left, right), leaf);
}
