/** A transaction and its block: whether a Merkle path leads there, which blocks a mark remembers, what a proof gets. */
import t from 'tap';
import { concatBytes, doubleSha256, fromHex, toHex, type AnchorTransaction } from '@sentinel-node/contracts';
import type { LedgerAnswer } from '@sentinel-node/platform';
import { easyHash, easyHeaders } from '@sentinel-node/test-kit/fakes';
import { blockDifference, heightDifference } from '../src/domain/block-difference.ts';
import { blockEvidence, evidenceOfCut } from '../src/domain/evidence.ts';
import { markedHeights } from '../src/domain/marked-heights.ts';

const HEIGHT = 7;
const COINBASE = new Uint8Array(32).fill(1);
const OWN = Uint8Array.from({ length: 32 }, (_, at) => at);
/** In the byte order of explorers. */
const TXID = toHex(OWN.toReversed());
const OTHER_BLOCK = 'its Merkle path does not lead to its block';
const NO_BLOCK = 'the ledger has no such block';

/** Path of the second of two transactions, at a height below 253: BRC-74. */
const path = (height = HEIGHT, own = OWN): string =>
  toHex(concatBytes(Uint8Array.of(height, 1, 2, 0, 0), COINBASE, Uint8Array.of(1, 2), own));

/** A header whose tree has the two transactions; a proof of work is not looked at here. */
const [block] = [easyHeaders({ count: 1 })];
block.set(doubleSha256(concatBytes(COINBASE, OWN)), 36);
const header = toHex(block);
const mined: AnchorTransaction = {
  ...{ txid: TXID, status: 'MINED', confirmations: 1 },
  ...{ blockHash: easyHash(block, 0), blockHeight: HEIGHT, merklePath: path() },
};

t.test('a Merkle path that leads to the block at its height', async (t) => {
  t.equal(blockDifference(mined, header), undefined);
  t.equal(heightDifference(mined), undefined);
});

t.test('the ledger has another block at the height, or none', async (t) => {
  t.equal(blockDifference(mined, undefined), NO_BLOCK);
  t.equal(blockDifference(mined, toHex(easyHeaders({ count: 1 }))), NO_BLOCK);
  t.equal(blockDifference(mined, header.slice(2)), NO_BLOCK, 'no header');
  t.equal(blockDifference({ ...mined, blockHash: null }, header), NO_BLOCK);
  t.equal(blockDifference({ ...mined, blockHash: null }, undefined), NO_BLOCK);
});

t.test('a path that does not lead to the block', async (t) => {
  const other = new Uint8Array(32).fill(3);
  for (const [merklePath, why] of [
    [null, 'there is none'],
    ['00', 'no path'],
    [path(HEIGHT + 1), 'of another height'],
    [path(HEIGHT, other), 'of another transaction'],
  ] as const)
    t.equal(blockDifference({ ...mined, merklePath }, header), OTHER_BLOCK, why);
  t.equal(blockDifference({ ...mined, blockHeight: HEIGHT + 1 }, header), OTHER_BLOCK);
  const elsewhere = { ...mined, txid: '03'.repeat(32), merklePath: path(HEIGHT, other) };
  t.equal(blockDifference(elsewhere, header), OTHER_BLOCK, 'a path to another root');
});

t.test('the height of a path is seen without a header', async (t) => {
  t.equal(heightDifference({ ...mined, blockHeight: HEIGHT + 1 }), OTHER_BLOCK);
  t.equal(heightDifference({ ...mined, merklePath: '00' }), OTHER_BLOCK);
  t.equal(
    heightDifference({ blockHeight: null, merklePath: '00' }),
    OTHER_BLOCK,
    'nor is one that cannot be read',
  );
  t.equal(heightDifference({ ...mined, merklePath: null }), undefined, 'without a path nothing differs');
});

t.test(
  'a mark remembers the newest hundred blocks, then some at distances that double, and the first',
  async (t) => {
    const newest = Array.from({ length: 100 }, (_, at) => 1_000 - at);
    t.strictSame(markedHeights(1_000, 0), [...newest, 900, 800, 600, 200, 0]);
    t.strictSame(markedHeights(1_000, 199), [...newest, 900, 800, 600, 200, 199]);
    t.strictSame(markedHeights(1_000, 200), [...newest, 900, 800, 600, 200], 'the first once');
    t.strictSame(markedHeights(1_000, 998), [1_000, 999, 998]);
    t.strictSame(markedHeights(5, 5), [5]);
  },
);

t.test(
  'a header of a batch is the last leaf: its path is the peaks before, the smallest first',
  async (t) => {
    const peaks = [fromHex('aa'), fromHex('bb')];
    const before = { peaks } as unknown as Parameters<typeof evidenceOfCut>[0];
    const evidence = evidenceOfCut(before);
    t.strictSame(evidence, { logPath: peaks.toReversed(), transaction: null, block: null } as unknown);
  },
);

t.test('a block goes into a proof only when it is the one of the transaction', async (t) => {
  const found = { header, coinbase: 'cc' };
  const answer: LedgerAnswer = {
    ...{ txid: TXID, status: 'MINED', blockHash: mined.blockHash!, block: found },
  };
  t.strictSame(blockEvidence(mined, answer), found);
  const { block: _, ...without } = answer;
  t.equal(blockEvidence(mined, without), null, 'the ledger does not have it');
  t.equal(blockEvidence(mined, undefined), null);
  t.equal(blockEvidence(mined, { ...answer, blockHash: 'ff'.repeat(32) }), null, 'of another block');
  t.equal(blockEvidence(mined, { ...answer, status: 'SEEN_ON_NETWORK' }), null, 'no longer in a block');
  t.equal(blockEvidence({ ...mined, status: 'SEEN_ON_NETWORK' }, answer), null, 'not recorded in a block');
});
