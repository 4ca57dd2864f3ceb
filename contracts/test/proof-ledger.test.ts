import t from 'tap';
import { fromHex } from '../src/bytes.ts';
import { encodeAnchorScript } from '../src/anchor-script.ts';
import { bumpRoot, parseBump } from '../src/proof-bump.ts';
import { checkHeaders, FIRST_OWN_BLOCK, targetOf, type HeaderCheckpoint } from '../src/proof-headers.ts';
import { anchorOf, isCoinbase, parseTransaction } from '../src/proof-transaction.ts';
import { blockBytes, bumpBytes, coinbaseBytes, doubleSha, transactionBytes, varInt } from './ledger-bytes.ts';
import { vector } from './support.ts';

const { headers, checkpoint } = vector<{ headers: string; checkpoint: HeaderCheckpoint }>('proof.json');
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
  t.match(parsed, { inputs: [{ outputIndex: 1 }], outputs: [{ satoshis: 0 }, { satoshis: 5 }] });
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

t.test('headers follow each other from a checkpoint, with work', async (t) => {
  const bytes = fromHex(headers);
  const chain = checkHeaders(bytes, checkpoint, 'test');
  t.match(chain, { tipHeight: 600_008, tipTime: Date.UTC(2026, 10, 21, 11, 30) / 1_000, work: 18n });
  if (typeof chain === 'string') return;
  t.same(chain.headerAt(600_000), bytes.slice(0, 80));
  t.equal(chain.headerAt(599_999), undefined);
  t.equal(chain.headerAt(600_009), undefined);
  t.equal(checkHeaders(bytes.slice(0, 79), checkpoint, 'test'), 'NOT_HEADERS');
  t.equal(checkHeaders(bytes.slice(0, 0), checkpoint, 'test'), 'NOT_HEADERS');
  t.equal(checkHeaders(bytes, { ...checkpoint, hash: hash32 }, 'test'), 'NOT_LINKED');
  t.equal(checkHeaders(bytes.slice(80), checkpoint, 'test'), 'NOT_LINKED');
  const gap = Buffer.concat([bytes.slice(0, 80), bytes.slice(160)]);
  t.equal(checkHeaders(gap, checkpoint, 'test'), 'NOT_LINKED');
  t.equal(checkHeaders(bytes, { ...checkpoint, bits: 0x1d00ffff }, 'test'), 'TOO_EASY');
  const early = { ...checkpoint, height: FIRST_OWN_BLOCK - 1 };
  t.equal(checkHeaders(bytes, early, 'main'), 'BEFORE_FORK');
  t.type(checkHeaders(bytes, { ...checkpoint, height: FIRST_OWN_BLOCK }, 'main'), Object);
  const idle = bytes.slice(0, 80);
  for (let nonce = 0; typeof checkHeaders(idle, checkpoint, 'test') !== 'string'; nonce++) idle[76] = nonce;
  t.equal(checkHeaders(idle, checkpoint, 'test'), 'NO_WORK');
});

t.test('compact targets', async (t) => {
  // Bitcoin's first target, and the worked examples of its developer reference.
  t.equal(targetOf(0x1d00ffff), 0xffffn << 208n);
  t.equal(targetOf(0x05009234), 0x92340000n);
  t.equal(targetOf(0x02008000), 0x80n);
  for (const bits of [0, 0x01003456, 0x04923456, 0x21010000, 0xff7fffff]) t.equal(targetOf(bits), undefined);
});
