/** Paths of the ledger: places that do not fit into 32 bits. */
import t from 'tap';
import { concatBytes } from '../src/bytes/bytes.ts';
import { bumpRoot, type Bump } from '../src/proof/bump.ts';
import { doubleSha256 } from '../src/ledger/transaction.ts';

const DEPTH = 32;
const hashOf = (height: number) => doubleSha256(Uint8Array.of(height));

/** Returns the path of the transaction at `offset`, and the root that the path leads to. */
function pathOf(offset: number, transaction: Uint8Array): { bump: Bump; root: Uint8Array } {
  let [at, root] = [BigInt(offset), transaction];
  const levels = Array.from({ length: DEPTH }, (_, height) => {
    const sibling = hashOf(height);
    const level = new Map([[Number(at ^ 1n), { hash: sibling, isMarked: false }]]);
    if (height === 0) level.set(offset, { hash: transaction, isMarked: true });
    root = doubleSha256(concatBytes(...(at % 2n === 0n ? [root, sibling] : [sibling, root])));
    at /= 2n;
    return level;
  });
  return { bump: { height: 1, levels }, root };
}

for (const offset of [6, 7, 2 ** 31 - 1, 2 ** 31, 3_000_000_001, 2 ** 32 - 1]) {
  t.test(`the path of the transaction at offset ${offset} leads to the root`, async (t) => {
    const transaction = doubleSha256(Uint8Array.of(255));
    const { bump, root } = pathOf(offset, transaction);
    t.same(bumpRoot(bump, transaction)?.root, root);
  });
}
