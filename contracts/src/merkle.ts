/** Merkle trees of RFC 6962 section 2.1: roots and inclusion paths. Consistency: `merkle-consistency.ts`. */
import { sha256, sha256Into } from '#sha256';
import { ByteWriter } from './byte-writer.ts';
import { equalBytes } from './bytes.ts';

/** Before the data of a leaf. */
export const LEAF_PREFIX = 0x00;
const NODE_PREFIX = 0x01;
const HASH_BYTES = 32;
const PAIR_BYTES = 2 * HASH_BYTES;

const nodeBuffer = newPair();

// One buffer for all calls: an array of more than 64 bytes lies outside the heap, which costs more than the hash.
const leafWriter = new ByteWriter(1_024);

/** H(00 ‖ data). */
export function leafHash(data: Uint8Array): Uint8Array {
  return leafHashOf((writer) => writer.raw(data));
}

/** The same of what is written at once, without a copy of it. */
export function leafHashOf(write: (writer: ByteWriter) => unknown): Uint8Array {
  write(leafWriter.reset().u8(LEAF_PREFIX));
  return sha256(leafWriter.view());
}

/**
 * Computes the root over leaves that are appended in order, without keeping them: 65 bytes a level of the tree. Each
 * hash is written where the hash of its parent reads it, because a copy of a pair costs a fifth of its hash.
 */
export class RootHasher {
  /** The bytes to hash for the next node of each level above the leaves: 01 ‖ left ‖ right. */
  readonly #pairs: Uint8Array[] = [newPair()];
  #size = 0;

  /** Appends a leaf. @param leaf 00 ‖ its data, which is read at once */
  append(leaf: Uint8Array): void {
    let at = this.#size;
    sha256Into(leaf, this.#pairs[0]!, slotOf(at));
    for (let height = 0; at % 2 === 1; height++) {
      at = (at - 1) / 2;
      if (height + 1 === this.#pairs.length) this.#pairs.push(newPair());
      sha256Into(this.#pairs[height]!, this.#pairs[height + 1]!, slotOf(at));
    }
    this.#size += 1;
  }

  /** SHA-256 of nothing while there are no leaves. */
  root(): Uint8Array {
    let root: Uint8Array | undefined;
    let width = this.#size;
    for (const pair of this.#pairs) {
      // The left node of a pair without a right one: the root of a perfect tree, the smallest first.
      const isPeak = width % 2 === 1;
      if (isPeak)
        root =
          root === undefined
            ? pair.slice(1, 1 + HASH_BYTES)
            : nodeHash(pair.subarray(1, 1 + HASH_BYTES), root);
      width = Math.floor(width / 2);
    }
    return root ?? sha256(new Uint8Array(0));
  }
}

/** H(01 ‖ left ‖ right). @throws RangeError unless both are 32 bytes */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (left.length !== HASH_BYTES || right.length !== HASH_BYTES)
    throw new RangeError('a node hash has 32 bytes');
  nodeBuffer.set(left, 1);
  nodeBuffer.set(right, 1 + HASH_BYTES);
  return sha256(nodeBuffer);
}

/** Root over leaf hashes; SHA-256 of nothing for an empty tree. */
export function merkleRoot(leafHashes: readonly Uint8Array[]): Uint8Array {
  return merkleLevels(leafHashes).at(-1)?.[0] ?? sha256(new Uint8Array(0));
}

/**
 * All levels of the tree, the leaf hashes first and the root last; none for an empty tree. A node without a sibling is
 * carried up unchanged. Kept by whoever makes many paths of one tree.
 */
export function merkleLevels(leafHashes: readonly Uint8Array[]): (readonly Uint8Array[])[] {
  if (leafHashes.length === 0) return [];
  const levels = [leafHashes];
  for (let level = leafHashes; level.length > 1; levels.push(level)) level = parents(level);
  return levels;
}

/**
 * The same levels of leaf hashes that lie one after the other, 32 bytes each; one array a level. For many small trees:
 * an array a hash is most of what such a tree costs.
 */
export function flatLevels(leafHashes: Uint8Array): Uint8Array[] {
  const levels = [leafHashes];
  for (let level = leafHashes; level.length > HASH_BYTES; levels.push(level)) level = flatParents(level);
  return levels;
}

/** Hashes the pairs `from` up to `to` of a level into the level above, which may lie in the same memory; 32 bytes a hash. */
export function hashPairs(level: Uint8Array, above: Uint8Array, from: number, to: number): void {
  for (let pair = from; pair < to; pair++) {
    nodeBuffer.set(level.subarray(PAIR_BYTES * pair, PAIR_BYTES * (pair + 1)), 1);
    sha256Into(nodeBuffer, above, HASH_BYTES * pair);
  }
}

/** Inclusion path (RFC 6962 section 2.1.1), the leaf's sibling first. @throws RangeError when there is no such leaf */
export function inclusionPath(leafHashes: readonly Uint8Array[], index: number): Uint8Array[] {
  return inclusionPathOf(merkleLevels(leafHashes), index);
}

/** The same from `merkleLevels`: no hashing. */
export function inclusionPathOf(levels: readonly (readonly Uint8Array[])[], index: number): Uint8Array[] {
  if (!Number.isInteger(index) || index < 0 || index >= (levels[0]?.length ?? 0))
    throw new RangeError(`no leaf ${index}`);
  return siblings(levels, index).map(([height, at]) => levels[height]![at]!);
}

/** Height and place in its level of each hash of the path of a leaf. */
export function siblings(
  levels: readonly { readonly length: number }[],
  index: number,
): [height: number, at: number][] {
  const found: [height: number, at: number][] = [];
  levels.forEach(({ length }, height) => {
    const at = Math.floor(index / 2 ** height) ^ 1;
    if (at < length && length > 1) found.push([height, at]);
  });
  return found;
}

/**
 * Whether `path` leads from the leaf hash at `index` to the `root` of a tree of `size` leaves (RFC 9162 section
 * 2.1.3.2). All arguments may be hostile: a path of the wrong length or with other sizes is false, never an exception.
 */
export function verifyInclusion(
  leaf: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
  root: Uint8Array,
): boolean {
  const computed = rootFromInclusion(leaf, index, size, path);
  return computed !== undefined && equalBytes(computed, root);
}

/** The root that `path` leads to, or undefined when the path cannot be one of leaf `index` of `size`. */
export function rootFromInclusion(
  leaf: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
): Uint8Array | undefined {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size)
    return undefined;
  if ([leaf, ...path].some((hash) => hash.length !== HASH_BYTES)) return undefined;
  let node = index;
  let last = size - 1;
  let hash = leaf;
  for (const sibling of path) {
    if (last === 0) return undefined;
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(sibling, hash);
      while (node % 2 === 0 && node !== 0) {
        node = node / 2;
        last = Math.floor(last / 2);
      }
    } else {
      hash = nodeHash(hash, sibling);
    }
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 ? hash : undefined;
}

function newPair(): Uint8Array {
  const pair = new Uint8Array(1 + PAIR_BYTES);
  pair[0] = NODE_PREFIX;
  return pair;
}

/** Where a node lies in the pair of its parent. @param at its place in its level */
const slotOf = (at: number): number => 1 + HASH_BYTES * (at % 2);

function parents(level: readonly Uint8Array[]): Uint8Array[] {
  const above: Uint8Array[] = [];
  for (let i = 0; i + 1 < level.length; i += 2) above.push(nodeHash(level[i]!, level[i + 1]!));
  if (level.length % 2 === 1) above.push(level.at(-1)!);
  return above;
}

function flatParents(level: Uint8Array): Uint8Array {
  const above = new Uint8Array(HASH_BYTES * Math.ceil(level.length / PAIR_BYTES));
  const pairs = Math.floor(level.length / PAIR_BYTES);
  hashPairs(level, above, 0, pairs);
  if (PAIR_BYTES * pairs < level.length) above.set(level.subarray(PAIR_BYTES * pairs), HASH_BYTES * pairs);
  return above;
}
