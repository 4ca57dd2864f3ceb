/**
 * Builds the Merkle tree of a block and BRC-74 paths (BUMP). Hashes here are hex in display order (reversed bytes).
 */
import { MerklePath } from '@bsv/sdk/transaction';
import { concatBytes, fromHex, sha256, toHex } from '@sentinel-node/contracts';

type Levels = readonly (readonly string[])[];
type Leaf = MerklePath['path'][number][number];

/** Returns H(H(left ‖ right)) of a block's tree. */
function parent(left: string, right: string): string {
  const joined = concatBytes(fromHex(left).reverse(), fromHex(right).reverse());
  return toHex(sha256(sha256(joined)).reverse());
}

function levelsOf(txids: readonly string[]): Levels {
  const levels = [txids];
  for (let level = txids; level.length > 1; levels.push(level)) {
    const below = level;
    level = Array.from({ length: Math.ceil(below.length / 2) }, (_, i) =>
      parent(below[2 * i]!, below[2 * i + 1] ?? below[2 * i]!),
    );
  }
  return levels;
}

/** Returns the root of a block. @param txids the coinbase first */
export function blockRoot(txids: readonly string[]): string {
  return levelsOf(txids).at(-1)![0]!;
}

/**
 * Returns the BUMP (hex) of transaction `index`. The BUMP carries the coinbase's path too, so that a verifier sees
 * the depth of the tree (CVE-2017-12842: an inner node shown as a transaction), and it contains every sibling, even
 * those that can be computed.
 */
export function bumpOf(height: number, txids: readonly string[], index: number): string {
  const levels = levelsOf(txids);
  const shown = [...new Set([0, index])];
  const path: Leaf[][] = [];
  for (let depth = 0; depth < Math.max(levels.length - 1, 1); depth++) {
    const leaves = new Map<number, Leaf>();
    for (const leaf of shown) {
      const sibling = (leaf >> depth) ^ 1;
      const hash = levels[depth]![sibling];
      if (levels.length > 1)
        leaves.set(
          sibling,
          hash === undefined ? { offset: sibling, duplicate: true } : { offset: sibling, hash },
        );
    }
    if (depth === 0)
      for (const offset of shown) leaves.set(offset, { offset, hash: txids[offset]!, txid: true });
    path.push([...leaves.values()].sort((a, b) => a.offset - b.offset));
  }
  return new MerklePath(height, path).toHex();
}
