/** Merkle trees of RFC 6962 section 2.1: roots and inclusion paths. Consistency: `merkle-consistency.ts`. */
import { sha256, sha256Into } from '#sha256';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { equalBytes } from '../bytes/bytes.ts';

/** First byte of the hashed data of a leaf. */
export const LEAF_PREFIX = 0x00;
const NODE_PREFIX = 0x01;
const HASH_BYTES = 32;
const PAIR_BYTES = 2 * HASH_BYTES;

const nodeBuffer = newPair();

// One buffer for all calls: an array above 64 bytes is allocated outside the heap, which costs more than the hash.
const leafWriter = new ByteWriter(1_024);

/** H(00 ‖ data). */
export function leafHash(data: Uint8Array): Uint8Array {
  return leafHashOf((writer) => writer.raw(data));
}

/** Returns the leaf hash of the data that `write` appends, without copying them. */
export function leafHashOf(write: (writer: ByteWriter) => unknown): Uint8Array {
  write(leafWriter.reset().u8(LEAF_PREFIX));
  return sha256(leafWriter.view());
}

/**
 * Computes the root over leaves that are appended in order, without keeping them: 65 bytes a level of the tree. Writes
 * each hash directly into its parent's input, because copying a pair costs a fifth of hashing it.
 */
export class RootHasher {
  /** The bytes to hash for the next node of each level above the leaves: 01 ‖ left ‖ right. */
  readonly #pairs: Uint8Array[] = [newPair()];
  #size = 0;

  /** Appends a leaf. @param leaf 00 ‖ its data; not kept after the call */
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

  /** Returns the root; SHA-256 of the empty string without leaves. */
  root(): Uint8Array {
    let root: Uint8Array | undefined;
    let width = this.#size;
    for (const pair of this.#pairs) {
      // A left node without a right sibling is the root of a perfect subtree; the smallest comes first.
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

/** Returns the root over leaf hashes; SHA-256 of the empty string for an empty tree. */
export function merkleRoot(leafHashes: readonly Uint8Array[]): Uint8Array {
  return merkleLevels(leafHashes).at(-1)?.[0] ?? sha256(new Uint8Array(0));
}

/**
 * Returns all levels of the tree, the leaf hashes first and the root last; none for an empty tree. A node without a
 * sibling is carried up unchanged. Callers that make many paths of one tree keep the levels.
 */
export function merkleLevels(leafHashes: readonly Uint8Array[]): (readonly Uint8Array[])[] {
  if (leafHashes.length === 0) return [];
  const levels = [leafHashes];
  for (let level = leafHashes; level.length > 1; levels.push(level)) level = parents(level);
  return levels;
}

/**
 * Same as `merkleLevels` for concatenated leaf hashes, 32 bytes each, with one array a level. For many small trees, in
 * which an array per hash would be most of the cost.
 */
export function flatLevels(leafHashes: Uint8Array): Uint8Array[] {
  const levels = [leafHashes];
  for (let level = leafHashes; level.length > HASH_BYTES; levels.push(level)) level = flatParents(level);
  return levels;
}

/** Hashes pairs `from` to `to`, exclusive, of a level into the level above, which may share memory; 32 bytes a hash. */
export function hashPairs(level: Uint8Array, above: Uint8Array, from: number, to: number): void {
  for (let pair = from; pair < to; pair++) {
    const left = PAIR_BYTES * pair;
    // Makes no view, which would cost more than the copy; copies a byte of each hash an iteration.
    for (let i = 0; i < HASH_BYTES; i++) {
      nodeBuffer[1 + i] = level[left + i]!;
      nodeBuffer[1 + HASH_BYTES + i] = level[left + HASH_BYTES + i]!;
    }
    sha256Into(nodeBuffer, above, HASH_BYTES * pair);
  }
}

/** Returns the inclusion path (RFC 6962 section 2.1.1), leaf's sibling first. @throws RangeError without such a leaf */
export function inclusionPath(leafHashes: readonly Uint8Array[], index: number): Uint8Array[] {
  return inclusionPathOf(merkleLevels(leafHashes), index);
}

/** Same as `inclusionPath`, from `merkleLevels` and without hashing. */
export function inclusionPathOf(levels: readonly (readonly Uint8Array[])[], index: number): Uint8Array[] {
  if (!Number.isInteger(index) || index < 0 || index >= (levels[0]?.length ?? 0))
    throw new RangeError(`no leaf ${index}`);
  return pathPlaces(levels[0]!.length, index).map(([height, at]) => levels[height]![at]!);
}

/**
 * Returns the place of the sibling of the node at `at` in the node's level. Uses no bit operation, because a place of
 * 2^31 and more does not fit into 32 bits.
 */
export const siblingAt = (at: number): number => (at % 2 === 0 ? at + 1 : at - 1);

/**
 * Returns height and place in its level of each node of the inclusion path of leaf `index` of `size` leaves (RFC 6962 section
 * 2.1.1), the leaf's sibling first. A node without a sibling is carried up unchanged.
 */
export function pathPlaces(size: number, index: number): [height: number, at: number][] {
  const found: [height: number, at: number][] = [];
  let width = size;
  let node = index;
  for (let height = 0; width > 1; height++) {
    const at = siblingAt(node);
    if (at < width) found.push([height, at]);
    width = Math.ceil(width / 2);
    node = Math.floor(node / 2);
  }
  return found;
}

/**
 * Returns true when `path` leads from the leaf hash at `index` to the `root` of a tree of `size` leaves (RFC 9162 section
 * 2.1.3.2). Returns false for hostile arguments, such as a path of the wrong length, and never throws.
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

/** Returns the root that `path` leads to; undefined when `path` cannot belong to leaf `index` of `size` leaves. */
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

/** Returns the offset of a node in its parent's pair. @param at place of the node in its level */
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
