import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { fromHex, toHex } from '../src/bytes/bytes.ts';
import { CompactRange, consistencyPath, verifyConsistency } from '../src/log/merkle-consistency.ts';
import * as merkle from '../src/log/merkle.ts';
import { flipBit } from './support.ts';

// Leaf inputs and roots of the reference tests of certificate-transparency-go (merkle trees of RFC 6962).
const CT_LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const CT_ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const leavesOf = (count: number) =>
  Array.from({ length: count }, (_, i) => merkle.leafHash(Uint8Array.of(i, i >> 8)));
const sizes = fc.integer({ min: 1, max: 130 });

t.test('roots are those of certificate-transparency-go', async (t) => {
  const leaves = CT_LEAVES.map((hex) => merkle.leafHash(fromHex(hex)));
  const range = new CompactRange();
  CT_ROOTS.forEach((root, size) => {
    t.equal(toHex(merkle.merkleRoot(leaves.slice(0, size))), root, `${size} leaves`);
    t.equal(toHex(range.root()), root, `${size} appended`);
    if (size < leaves.length) range.append(leaves[size]!);
  });
});

t.test('every leaf is included, and nothing tampered with is', async () => {
  fc.assert(
    fc.property(sizes, fc.nat(), fc.nat(), (size, anyIndex, bit) => {
      const index = anyIndex % size;
      const leaves = leavesOf(size);
      const root = merkle.merkleRoot(leaves);
      const path = merkle.inclusionPath(leaves, index);
      const leaf = leaves[index]!;
      const tampered = path.map((_, at) => path.map((hash, i) => (i === at ? flipBit(hash, bit) : hash)));
      return (
        merkle.verifyInclusion(leaf, index, size, path, root) &&
        !merkle.verifyInclusion(flipBit(leaf, bit), index, size, path, root) &&
        !merkle.verifyInclusion(leaf, index, size, path, flipBit(root, bit)) &&
        !merkle.verifyInclusion(leaf, (index + 1) % (size + 1), size, path, root) &&
        !merkle.verifyInclusion(leaf, index, size, [...path, leaf], root) &&
        (path.length === 0 || !merkle.verifyInclusion(leaf, index, size, path.slice(1), root)) &&
        tampered.every((other) => !merkle.verifyInclusion(leaf, index, size, other, root))
      );
    }),
  );
});

t.test('a leaf and a node never stand for each other', async (t) => {
  const [a, b] = leavesOf(2) as [Uint8Array, Uint8Array];
  const root = merkle.nodeHash(a, b);
  t.notSame(merkle.leafHash(Uint8Array.of(...a, ...b)), root);
  t.notOk(merkle.verifyInclusion(root, 0, 2, [], root), 'an inner node is no leaf of a tree of two');
});

t.test('hostile sizes and hashes are false, not exceptions', async (t) => {
  const [leaf] = leavesOf(1) as [Uint8Array];
  for (const [index, size] of [
    [0, 0],
    [-1, 1],
    [1, 1],
    [0.5, 1],
    [NaN, 1],
    [0, Infinity],
    [0, 2 ** 53],
  ] as const) {
    t.notOk(merkle.verifyInclusion(leaf, index, size, [], leaf), `${index} of ${size}`);
  }
  t.notOk(merkle.verifyInclusion(leaf, 0, 2, [new Uint8Array(31)], leaf));
  t.notOk(merkle.verifyInclusion(leaf.slice(1), 0, 1, [], leaf.slice(1)));
  t.notOk(verifyConsistency(1, leaf, 2, leaf, []));
  t.notOk(verifyConsistency(2, leaf, 1, leaf, []));
  t.notOk(verifyConsistency(1.5, leaf, 2, leaf, [leaf]));
  t.notOk(verifyConsistency(0, leaf, 2, leaf, []), 'the root of nothing is not this');
  t.throws(() => merkle.inclusionPath([leaf], 1), RangeError);
  t.throws(() => merkle.inclusionPath([], 0), RangeError);
  t.throws(() => merkle.nodeHash(leaf, leaf.slice(1)), RangeError);
  t.throws(() => consistencyPath([leaf], 2), RangeError);
});

t.test('a compact range gives the root at every size and goes on from its peaks', async (t) => {
  fc.assert(
    fc.property(fc.nat(130), fc.nat(60), (before, more) => {
      const leaves = leavesOf(before + more);
      const first = new CompactRange();
      for (const leaf of leaves.slice(0, before)) first.append(leaf);
      const restored = new CompactRange(first.size, first.peaks);
      for (const leaf of leaves.slice(before)) restored.append(leaf);
      return toHex(restored.root()) === toHex(merkle.merkleRoot(leaves)) && restored.size === leaves.length;
    }),
  );
  t.throws(() => new CompactRange(3, leavesOf(1)), RangeError);
  t.throws(() => new CompactRange(-1), RangeError);
  t.throws(() => new CompactRange(1, [new Uint8Array(3)]), RangeError);
});

t.test('a tree that grew is shown to have grown, and a rewritten one is not', async () => {
  fc.assert(
    fc.property(sizes, fc.nat(), fc.nat(), (size, anyFrom, bit) => {
      const from = anyFrom % (size + 1);
      const leaves = leavesOf(size);
      const root = merkle.merkleRoot(leaves);
      const fromRoot = merkle.merkleRoot(leaves.slice(0, from));
      const path = consistencyPath(leaves, from);
      const tampered = path.map((_, at) => path.map((hash, i) => (i === at ? flipBit(hash, bit) : hash)));
      return (
        verifyConsistency(from, fromRoot, size, root, path) &&
        !verifyConsistency(from, flipBit(fromRoot, bit), size, root, path) &&
        (from === 0 || !verifyConsistency(from, fromRoot, size, flipBit(root, bit), path)) &&
        !verifyConsistency(from, fromRoot, size, root, [...path, root]) &&
        tampered.every((other) => !verifyConsistency(from, fromRoot, size, root, other))
      );
    }),
  );
});

t.test('the root of leaves that are not kept is the root of all, at every size', async (t) => {
  const hasher = new merkle.RootHasher();
  const leaves = leavesOf(300);
  for (let size = 0; size <= leaves.length; size++) {
    t.equal(toHex(hasher.root()), toHex(merkle.merkleRoot(leaves.slice(0, size))), `${size} leaves`);
    hasher.append(Uint8Array.of(0x00, size & 0xff, size >> 8));
  }
});

t.test('what a leaf was appended from may be overwritten', async (t) => {
  const hasher = new merkle.RootHasher();
  const leaf = new Uint8Array(3);
  const leaves: Uint8Array[] = [];
  for (let index = 0; index < 11; index++) {
    leaf.set([index, 7], 1);
    hasher.append(leaf);
    leaves.push(merkle.leafHash(leaf.slice(1)));
  }
  t.equal(toHex(hasher.root()), toHex(merkle.merkleRoot(leaves)));
});
