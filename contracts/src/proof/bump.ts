/** Merkle paths of the ledger: BUMP (BRC-74), parsed strictly. */
import { ByteReader } from '../bytes/byte-reader.ts';
import { concatBytes, equalBytes } from '../bytes/bytes.ts';
import { siblingAt } from '../log/merkle.ts';
import { doubleSha256 } from '../ledger/transaction.ts';
import { PROOF_LIMITS } from '../proof-limits.ts';

/** Node of a level. `hash` is in the byte order of hashing; absent when the node repeats its left sibling. */
interface BumpLeaf {
  readonly hash?: Uint8Array;
  /** Marked as a transaction of interest to the path. */
  readonly isMarked: boolean;
}

export interface Bump {
  readonly height: number;
  /** Levels from the transactions upward; each is ordered by offset. */
  readonly levels: readonly ReadonlyMap<number, BumpLeaf>[];
}

const DUPLICATE = 1;
const MARKED = 2;
/** The coinbase is the first transaction of a block. */
const COINBASE_OFFSET = 0;

/** Parses a path without hashing. Returns undefined unless `bytes` are exactly one path. */
export function parseBump(bytes: Uint8Array): Bump | undefined {
  if (bytes.length > PROOF_LIMITS.bumpBytes) return undefined;
  try {
    const reader = new ByteReader(bytes);
    const height = reader.varInt();
    const depth = reader.u8();
    if (depth === 0 || depth > PROOF_LIMITS.treeDepth) return undefined;
    const levels = Array.from({ length: depth }, (_, level) => readLevel(reader, level, depth));
    return reader.isAtEnd ? { height, levels } : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readLevel(reader: ByteReader, level: number, depth: number): ReadonlyMap<number, BumpLeaf> {
  const leaves = new Map<number, BumpLeaf>();
  let last = -1;
  for (let left = reader.varInt(); left > 0; left--) {
    const offset = reader.varInt();
    const flags = reader.u8();
    // Offsets must rise, so that a path has one spelling and no offset twice.
    if (offset <= last || offset >= 2 ** (depth - level)) throw new RangeError('offset');
    last = offset;
    leaves.set(offset, readLeaf(reader, flags, { level, offset }));
  }
  return leaves;
}

function readLeaf(reader: ByteReader, flags: number, at: { level: number; offset: number }): BumpLeaf {
  if (flags === DUPLICATE) {
    // CVE-2012-2459: only a node without a right sibling is hashed with itself.
    if (at.offset % 2 === 0) throw new RangeError('a duplicate on the left');
    return { isMarked: false };
  }
  if (flags !== 0 && !(flags === MARKED && at.level === 0)) throw new RangeError('flags');
  return { hash: reader.take(32), isMarked: flags === MARKED };
}

export interface BumpRoot {
  readonly root: Uint8Array;
  /** Hash of the block's first transaction, when the path shows it at the same depth. */
  readonly coinbase: Uint8Array | undefined;
}

/**
 * Returns the root of the block's tree from the path of transaction `hash`. Returns undefined when the path does not mark
 * `hash`, marks others besides the coinbase, misses a node, has a useless or wrong node, or shows `hash` as the coinbase.
 */
export function bumpRoot({ levels }: Bump, hash: Uint8Array): BumpRoot | undefined {
  const marked = [...levels[0]!].filter(([, leaf]) => leaf.isMarked);
  const own = marked.find(([offset, leaf]) => offset !== COINBASE_OFFSET && equalBytes(leaf.hash!, hash));
  const other = marked.find((leaf) => leaf !== own);
  if (own === undefined || marked.length > 2 || (other !== undefined && other[0] !== COINBASE_OFFSET))
    return undefined;
  let computed = new Map(marked.map(([offset, leaf]) => [offset, leaf.hash!]));
  for (const level of levels) {
    const above = parentsOf(level, computed);
    if (above === undefined) return undefined;
    computed = above;
  }
  return { root: computed.get(0)!, coinbase: other?.[1].hash };
}

/** Returns the parents of the computed nodes, by offset; undefined when a sibling is missing, useless or wrong. */
function parentsOf(
  level: ReadonlyMap<number, BumpLeaf>,
  computed: ReadonlyMap<number, Uint8Array>,
): Map<number, Uint8Array> | undefined {
  for (const [offset, { hash }] of level) {
    const known = computed.get(offset);
    if (
      known === undefined ? !computed.has(siblingAt(offset)) : hash === undefined || !equalBytes(hash, known)
    )
      return undefined;
  }
  const above = new Map<number, Uint8Array>();
  for (const [offset, hash] of computed) {
    const sibling = siblingOf(level.get(siblingAt(offset)), computed.get(siblingAt(offset)), hash);
    if (sibling === undefined) return undefined;
    const pair = offset % 2 === 0 ? [hash, sibling] : [sibling, hash];
    above.set(Math.floor(offset / 2), doubleSha256(concatBytes(...pair)));
  }
  return above;
}

function siblingOf(
  leaf: BumpLeaf | undefined,
  computed: Uint8Array | undefined,
  self: Uint8Array,
): Uint8Array | undefined {
  if (leaf !== undefined && leaf.hash === undefined) return self;
  const hash = leaf?.hash ?? computed;
  // The same hash twice without being marked as a duplicate is CVE-2012-2459.
  return hash === undefined || equalBytes(hash, self) ? undefined : hash;
}
