import t from 'tap';
import { toHex } from '../src/bytes/bytes.ts';
import { nodesBeside, pathsOfRange } from '../src/log/merkle-range.ts';
import { flatLevels, inclusionPath, leafHash, merkleLevels } from '../src/log/merkle.ts';

const leaves = Array.from({ length: 33 }, (_, i) => leafHash(Uint8Array.of(i)));
const hexes = (paths: readonly (readonly Uint8Array[])[] | undefined) =>
  paths?.map((path) => path.map(toHex));

t.test(
  'the paths of every range of every tree are those of RFC 6962, and no node is of no use',
  async (t) => {
    for (let size = 1; size <= leaves.length; size++) {
      const tree = leaves.slice(0, size);
      const levels = merkleLevels(tree);
      for (let first = 0; first < size; first++)
        for (let last = first; last < size; last++) {
          const nodes = nodesBeside(size, first, last).map(([height, at]) => levels[height]![at]!);
          const own = tree.slice(first, last + 1);
          const expected = own.map((_, i) => inclusionPath(tree, first + i));
          if (
            JSON.stringify(hexes(pathsOfRange(own, first, size, nodes))) !== JSON.stringify(hexes(expected))
          )
            t.fail(`${first} to ${last} of ${size}`);
          if (pathsOfRange(own, first, size, [...nodes, own[0]!]) !== undefined) t.fail('a node more');
          if (nodes.length > 0 && pathsOfRange(own, first, size, nodes.slice(1)) !== undefined)
            t.fail('a node less');
          if (first === last) t.equal(nodes.length, expected[0]!.length);
        }
    }
  },
);

t.test('hostile places and sizes have no paths', async (t) => {
  const own = leaves.slice(0, 2);
  for (const [first, size] of [
    [-1, 3],
    [2, 3],
    [0, 1],
    [0, 0],
    [0.5, 3],
    [0, 2.5],
    [2 ** 53 - 1, 2 ** 53],
    [0, Infinity],
    [Number.NaN, 3],
  ] as const)
    t.equal(pathsOfRange(own, first, size, []), undefined, `${first} of ${size}`);
  t.equal(pathsOfRange([], 0, 1, []), undefined);
  t.equal(pathsOfRange(own, 0, 3, [new Uint8Array(31)]), undefined);
});

t.test('a leaf whose place does not fit into 32 bits has a path', async (t) => {
  const [first, size] = [3_000_000_000, 0xffffffff];
  const nodes = nodesBeside(size, first, first).map(([height, at]) =>
    leafHash(Uint8Array.of(height, at % 256)),
  );
  const [path] = pathsOfRange([leaves[0]!], first, size, nodes) ?? [];
  t.same(path?.map(toHex), nodes.map(toHex));
});

t.test('levels in one array each are the same levels', async (t) => {
  for (let size = 1; size <= leaves.length; size++) {
    const tree = leaves.slice(0, size);
    const flat = flatLevels(Uint8Array.from(tree.flatMap((leaf) => [...leaf])));
    const expected = merkleLevels(tree).map((level) => level.map(toHex).join(''));
    if (JSON.stringify(flat.map(toHex)) !== JSON.stringify(expected)) t.fail(`${size} leaves`);
  }
  t.pass('of every size');
});
