import t from 'tap';
import { encodeAnchorScript } from '../src/ledger/anchor-script.ts';
import { bumpRoot, parseBump } from '../src/proof/bump.ts';
import { anchorOf, isCoinbase, parseTransaction } from '../src/ledger/transaction.ts';
import { blockBytes, bumpBytes, coinbaseBytes, doubleSha, transactionBytes, varInt } from './ledger-bytes.ts';

const source = { hash: Buffer.alloc(32, 7), index: 1 };
const hash32 = '11'.repeat(32);
const anchor = Buffer.from(
  encodeAnchorScript({ logId: hash32, batch: 1, headerHash: hash32, logRoot: hash32 }),
);
const other = { satoshis: 5, script: Buffer.from('51', 'hex') };

t.test('a transaction is parsed whole or not at all', async (t) => {
  const good = transactionBytes(source, Buffer.alloc(300, 1), [{ satoshis: 0, script: anchor }, other]);
  const parsed = parseTransaction(good)!;
  t.same(Buffer.from(parsed.hash), doubleSha(good));
  t.strictSame(
    parsed.inputs.map(({ outputIndex }) => outputIndex),
    [1],
  );
  t.strictSame(
    parsed.outputs.map(({ satoshis }) => satoshis),
    [0, 5],
  );
  for (let length = 0; length < good.length; length++)
    if (parseTransaction(good.subarray(0, length)) !== undefined) t.fail(`${length} bytes of it`);
  t.equal(parseTransaction(Buffer.concat([good, Buffer.of(0)])), undefined, 'a byte more');
  t.equal(parseTransaction(Buffer.alloc(100_001)), undefined);
  const [start, end] = [good.subarray(0, 4), good.subarray(5)];
  t.equal(parseTransaction(Buffer.concat([start, Buffer.of(0xfd, 1, 0), end])), undefined, 'a long 1');
  const many = Buffer.concat([start, Buffer.of(0xff, 255, 255, 255, 255, 255, 255, 31, 0), end]);
  t.equal(parseTransaction(many), undefined, 'more inputs than bytes');
  t.equal(parseTransaction(Buffer.alloc(10)), undefined, 'no inputs, no outputs');
  const short = transactionBytes(source, Buffer.alloc(0), [{ satoshis: 1, script: Buffer.alloc(4) }]);
  t.equal(short.length, 64);
  t.equal(parseTransaction(short), undefined, '64 bytes could be an inner node');
  t.ok(isCoinbase(parseTransaction(coinbaseBytes(7))!));
  t.notOk(isCoinbase(parsed));
});

t.test('exactly one output is an anchor, the first, of nothing', async (t) => {
  const of = (...outputs: { satoshis: number; script: Buffer }[]) =>
    anchorOf(parseTransaction(transactionBytes(source, Buffer.of(1), outputs))!);
  const one = { satoshis: 0, script: anchor };
  t.match(of(one, other), { batch: 1 });
  t.equal(of(other, one), undefined, 'not the first');
  t.equal(of(one, other, one), undefined, 'two');
  t.equal(of({ ...one, satoshis: 1 }), undefined, 'worth something');
  t.equal(of(other), undefined, 'none');
});

t.test('Merkle paths of blocks of every size', async (t) => {
  for (let size = 2; size <= 20; size++) {
    const own = Array.from({ length: size - 1 }, (_, n) => transactionBytes(source, Buffer.of(n), [other]));
    const block = blockBytes(200 + size, hash32, 1, [coinbaseBytes(size), ...own]);
    for (let index = 1; index < size; index++) {
      const hash = doubleSha(block.transactions[index]!);
      const bump = parseBump(bumpBytes(block, index))!;
      const root = bumpRoot(bump, hash)!;
      t.same(Buffer.from(root.root), block.header.subarray(36, 68), `${index} of ${size}`);
      t.same(Buffer.from(root.coinbase!), doubleSha(block.transactions[0]!));
      const alone = bumpRoot(parseBump(bumpBytes(block, index, true))!, hash);
      t.same(alone?.coinbase, undefined);
      t.same(Buffer.from(alone!.root), block.header.subarray(36, 68));
      const foreign = doubleSha(block.transactions[(index % (size - 1)) + 1]!);
      if (size > 2) t.equal(bumpRoot(bump, foreign), undefined, 'not the one it is about');
    }
  }
});

t.test('Merkle paths that are none', async (t) => {
  const [a, b] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const leaf = (offset: number, flags: number, hash?: Buffer): Buffer =>
    Buffer.concat([varInt(offset), Buffer.of(flags), hash ?? Buffer.alloc(0)]);
  const bump = (...levels: Buffer[][]): Buffer =>
    Buffer.concat([
      varInt(9),
      Buffer.of(levels.length),
      ...levels.map((leaves) => Buffer.concat([varInt(leaves.length), ...leaves])),
    ]);
  const rootOf = (bytes: Buffer) => {
    const parsed = parseBump(bytes);
    return parsed === undefined ? 'unreadable' : bumpRoot(parsed, b);
  };
  const good = bump([leaf(0, 0, a), leaf(1, 2, b)]);
  t.type(rootOf(good), Object);
  const unreadable: Record<string, Buffer> = {
    'no levels': bump(),
    'too many levels': bump(...Array.from({ length: 33 }, () => [leaf(0, 0, a)])),
    'an offset beyond the tree': bump([leaf(0, 0, a), leaf(1, 2, b), leaf(2, 0, a)]),
    'an offset twice': bump([leaf(1, 2, b), leaf(1, 2, b)]),
    'offsets that fall': bump([leaf(1, 2, b), leaf(0, 0, a)]),
    'a duplicate on the left': bump([leaf(0, 1), leaf(1, 2, b)]),
    'unknown flags': bump([leaf(0, 4, a), leaf(1, 2, b)]),
    'a mark above the transactions': bump([leaf(0, 0, a), leaf(1, 2, b)], [leaf(1, 2, a)]),
    'a byte more': Buffer.concat([good, Buffer.of(0)]),
    'a byte less': good.subarray(0, -1),
    'too long': Buffer.alloc(16_385),
  };
  for (const [title, bytes] of Object.entries(unreadable)) t.equal(rootOf(bytes), 'unreadable', title);
  const wrong: Record<string, Buffer> = {
    'no mark': bump([leaf(0, 0, a), leaf(1, 0, b)]),
    'a mark at another': bump([leaf(0, 0, b), leaf(1, 2, a)]),
    'our own as the coinbase': bump([leaf(0, 2, b), leaf(1, 0, a)]),
    'a third mark': bump([leaf(0, 2, a), leaf(1, 2, b), leaf(2, 2, a), leaf(3, 0, b)], [leaf(0, 0, a)]),
    'a missing sibling': bump([leaf(1, 2, b)]),
    'the same twice, unmarked': bump([leaf(2, 2, b), leaf(3, 0, b)], [leaf(0, 0, a)]),
    'a node of no use': bump([leaf(0, 0, a), leaf(1, 2, b), leaf(2, 0, a)], [leaf(1, 0, a)]),
    'a node that is not what follows': bump([leaf(0, 0, a), leaf(1, 2, b)], [leaf(0, 0, a), leaf(1, 0, a)]),
  };
  for (const [title, bytes] of Object.entries(wrong)) t.equal(rootOf(bytes), undefined, title);
});
