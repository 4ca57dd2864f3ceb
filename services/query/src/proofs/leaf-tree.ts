/** The tree of one batch in flat arrays: 64 bytes a leaf, 44 bytes a subject. */
import { compareBytes, hashPairs, nodesBeside, pathPlaces } from '@sentinel-node/contracts';
import { PROOF_WORK } from './limits.ts';

const HASH = 32;

/** Yields between two steps of work, so that a large batch does not block the event loop. */
export type YieldTurn = () => Promise<void>;

/** The leaves of a batch, sorted by subject. */
export interface SortedLeaves {
  /** Map keys of the subjects, 32 bytes each, in ascending order. */
  readonly keys: Uint8Array;
  /** Index of the first leaf of each subject, then the number of leaves. */
  readonly starts: Uint32Array;
  /** Number of the first entry of each subject. */
  readonly numbers: Float64Array;
  /** Leaf hashes, 32 bytes each. */
  readonly hashes: Uint8Array;
}

export class LeafTree {
  readonly #leaves: SortedLeaves;
  /** Nodes of each level above the leaves; the root is last. */
  readonly #above: readonly Uint8Array[];

  private constructor(leaves: SortedLeaves, above: readonly Uint8Array[]) {
    this.#leaves = leaves;
    this.#above = above;
  }

  static async of(leaves: SortedLeaves, yieldTurn: YieldTurn): Promise<LeafTree> {
    const above: Uint8Array[] = [];
    for (let level = leaves.hashes; level.length > HASH; above.push(level))
      level = await parentsOf(level, yieldTurn);
    return new LeafTree(leaves, above);
  }

  /** Size in memory. */
  get bytes(): number {
    const { keys, starts, numbers, hashes } = this.#leaves;
    const parts = [keys, starts, numbers, hashes, ...this.#above];
    return parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** Returns undefined when the tree has no leaves. */
  root(): Uint8Array | undefined {
    const top = this.#above.at(-1) ?? this.#leaves.hashes;
    return top.length === 0 ? undefined : top.slice(0, HASH);
  }

  /**
   * Returns the leaf index of entry `number` of the subject with this map key; undefined when the batch lacks the
   * entry.
   */
  indexOf(mapKey: Uint8Array, number: number): number | undefined {
    const { keys, starts, numbers } = this.#leaves;
    let low = 0;
    let high = numbers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareBytes(keys.subarray(middle * HASH, (middle + 1) * HASH), mapKey) < 0) low = middle + 1;
      else high = middle;
    }
    const isIt = compareBytes(keys.subarray(low * HASH, (low + 1) * HASH), mapKey) === 0;
    if (!isIt || low === numbers.length) return undefined;
    const index = starts[low]! + number - numbers[low]!;
    return index >= starts[low]! && index < starts[low + 1]! ? index : undefined;
  }

  leafHash(index: number): Uint8Array {
    return nodeAt(this.#leaves.hashes, index);
  }

  /** Returns the inclusion path (RFC 6962 section 2.1.1). */
  path(index: number): Uint8Array[] {
    return this.#nodes(pathPlaces(this.#size, index));
  }

  /** Returns the nodes beside these leaves that the leaves' paths need (docs/formats.md, "Bundle document"). */
  siblingNodes(first: number, last: number): Uint8Array[] {
    return this.#nodes(nodesBeside(this.#size, first, last));
  }

  get #size(): number {
    return this.#leaves.hashes.length / HASH;
  }

  #nodes(places: readonly [height: number, at: number][]): Uint8Array[] {
    const levels = [this.#leaves.hashes, ...this.#above];
    return places.map(([height, at]) => nodeAt(levels[height]!, at));
  }
}

const nodeAt = (level: Uint8Array, index: number): Uint8Array =>
  level.slice(index * HASH, (index + 1) * HASH);

async function parentsOf(level: Uint8Array, yieldTurn: YieldTurn): Promise<Uint8Array> {
  const count = level.length / HASH;
  const above = new Uint8Array(Math.ceil(count / 2) * HASH);
  const pairs = Math.floor(count / 2);
  for (let from = 0; from < pairs; from += PROOF_WORK.stepsPerTurn) {
    hashPairs(level, above, from, Math.min(pairs, from + PROOF_WORK.stepsPerTurn));
    await yieldTurn();
  }
  // A node without a sibling moves up unchanged.
  if (count % 2 === 1) above.set(level.subarray((count - 1) * HASH), above.length - HASH);
  return above;
}
