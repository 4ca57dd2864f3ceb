/** Growth of an RFC 6962 tree: roots by appending, and proofs that a later tree extends an earlier one. */
import { sha256 } from '#sha256';
import { equalBytes } from '../bytes/bytes.ts';
import { merkleRoot, nodeHash } from './merkle.ts';

/**
 * Keeps the roots of the perfect subtrees over the leaves so far, largest first. They suffice to append leaves and to
 * compute the root without the earlier leaves. O(log size) memory.
 */
export class CompactRange {
  #size: number;
  readonly #peaks: Uint8Array[];

  /** @throws RangeError unless `peaks` are as many as `size` has one bits */
  constructor(size = 0, peaks: readonly Uint8Array[] = []) {
    if (!Number.isSafeInteger(size) || size < 0) throw new RangeError(`not a tree size: ${size}`);
    if (peaks.length !== oneBits(size))
      throw new RangeError(`a tree of ${size} leaves has ${oneBits(size)} peaks`);
    if (peaks.some((peak) => peak.length !== 32)) throw new RangeError('a peak has 32 bytes');
    this.#size = size;
    this.#peaks = [...peaks];
  }

  get size(): number {
    return this.#size;
  }

  /** Copy of the peaks; with `size`, the arguments of the constructor. */
  get peaks(): readonly Uint8Array[] {
    return [...this.#peaks];
  }

  append(leafHash: Uint8Array): void {
    let hash = leafHash;
    for (let rest = this.#size; rest % 2 === 1; rest = Math.floor(rest / 2))
      hash = nodeHash(this.#peaks.pop()!, hash);
    this.#peaks.push(hash);
    this.#size += 1;
  }

  /** Returns the root; SHA-256 of the empty string while the tree is empty. */
  root(): Uint8Array {
    if (this.#size === 0) return sha256(new Uint8Array(0));
    return this.#peaks.reduceRight((right, left) => nodeHash(left, right));
  }
}

/**
 * Returns the proof that the tree of `leafHashes` extends the tree of its first `from` leaves (RFC 6962 section 2.1.2);
 * empty when `from` is 0 or all leaves.
 * @throws RangeError when `from` is not a number of leaves of the tree
 */
export function consistencyPath(leafHashes: readonly Uint8Array[], from: number): Uint8Array[] {
  if (!Number.isInteger(from) || from < 0 || from > leafHashes.length)
    throw new RangeError(`no tree of ${from} leaves`);
  if (from === 0) return [];
  const ranges = consistencyRanges(from, leafHashes.length);
  return ranges.map(([begin, end]) => merkleRoot(leafHashes.slice(begin, end)));
}

/** Leaves from `begin` to `end`, exclusive. */
export type LeafRange = readonly [begin: number, end: number];

/** Returns the ranges of leaves whose roots prove that the tree of `to` leaves extends that of `from`. 1 ≤ from ≤ to. */
export function consistencyRanges(from: number, to: number): LeafRange[] {
  return subproof(from, 0, to, true);
}

/** @param count leaves of this range, from `begin`, that the earlier tree has */
function subproof(count: number, begin: number, end: number, isWhole: boolean): LeafRange[] {
  if (count === end - begin) return isWhole ? [] : [[begin, end]];
  const split = largestPowerOfTwoBelow(end - begin);
  return count <= split
    ? [...subproof(count, begin, begin + split, isWhole), [begin + split, end]]
    : [...subproof(count - split, begin + split, end, false), [begin, begin + split]];
}

/**
 * Returns the root of a range of leaves that is a node of the RFC 6962 tree.
 * @param subtree returns the root of the 2^height leaves from `begin`, a multiple of 2^height
 */
export async function rootOfRange(
  [begin, end]: LeafRange,
  subtree: (begin: number, height: number) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const height = Math.log2(end - begin);
  if (Number.isInteger(height)) return subtree(begin, height);
  const split = begin + largestPowerOfTwoBelow(end - begin);
  return nodeHash(await rootOfRange([begin, split], subtree), await rootOfRange([split, end], subtree));
}

/**
 * Returns true when the tree (`toSize`, `toRoot`) extends the tree (`fromSize`, `fromRoot`) (RFC 9162 section 2.1.4.2).
 * Returns false for hostile input and never throws. Every tree extends the empty tree, with an empty path.
 */
export function verifyConsistency(
  fromSize: number,
  fromRoot: Uint8Array,
  toSize: number,
  toRoot: Uint8Array,
  path: readonly Uint8Array[],
): boolean {
  if (!Number.isSafeInteger(fromSize) || !Number.isSafeInteger(toSize) || fromSize < 0 || fromSize > toSize)
    return false;
  if ([fromRoot, toRoot, ...path].some((hash) => hash.length !== 32)) return false;
  if (fromSize === toSize) return path.length === 0 && equalBytes(fromRoot, toRoot);
  if (fromSize === 0) return path.length === 0 && equalBytes(fromRoot, sha256(new Uint8Array(0)));
  const hashes = isPowerOfTwo(fromSize) ? [fromRoot, ...path] : path;
  const roots = foldConsistency(fromSize - 1, toSize - 1, hashes);
  return roots !== undefined && equalBytes(roots.from, fromRoot) && equalBytes(roots.to, toRoot);
}

function foldConsistency(
  fromLast: number,
  toLast: number,
  hashes: readonly Uint8Array[],
): { from: Uint8Array; to: Uint8Array } | undefined {
  const [first, ...rest] = hashes;
  if (first === undefined) return undefined;
  let node = fromLast;
  let last = toLast;
  for (; node % 2 === 1; node = Math.floor(node / 2)) last = Math.floor(last / 2);
  let from = first;
  let to = first;
  for (const hash of rest) {
    if (last === 0) return undefined;
    if (node % 2 === 1 || node === last) {
      from = nodeHash(hash, from);
      to = nodeHash(hash, to);
      while (node % 2 === 0 && node !== 0) {
        node = node / 2;
        last = Math.floor(last / 2);
      }
    } else {
      to = nodeHash(to, hash);
    }
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 ? { from, to } : undefined;
}

/** Returns the place where RFC 6962 splits a tree of `count` leaves, at least 2. */
export function largestPowerOfTwoBelow(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

function isPowerOfTwo(value: number): boolean {
  return oneBits(value) === 1;
}

function oneBits(value: number): number {
  let ones = 0;
  for (let rest = value; rest > 0; rest = Math.floor(rest / 2)) ones += rest % 2;
  return ones;
}
