import t from 'tap';
import { leafHash, merkleRoot } from '../src/log/merkle.ts';
import { consistencyPath, consistencyRanges } from '../src/log/merkle-consistency.ts';
import { toHex } from '../src/bytes/bytes.ts';
import { rangeRoot, type ReadHashes } from '../src/log/tile-nodes.ts';
import { tileEnd } from '../src/log/tile.ts';

const SIZE = 66_000;
const leaves = Array.from({ length: SIZE }, (_, n) => {
  const data = new Uint8Array(4);
  new DataView(data.buffer).setUint32(0, n);
  return leafHash(data);
});

/** Reads tiles made from the leaves. Throws for a tile that a log of `size` leaves does not have. */
function tilesOf(size: number): ReadHashes {
  const levels = [leaves.slice(0, size)];
  for (let below = levels[0]!; below.length >= 256; levels.push(below))
    below = Array.from({ length: Math.floor(below.length / 256) }, (_, at) =>
      merkleRoot(below.slice(at * 256, (at + 1) * 256)),
    );
  return (tile) => {
    const { level, index, width } = tile;
    const hashes = levels[Number(level)]?.slice(index * 256, (index + 1) * 256) ?? [];
    if (hashes.length !== width || tileEnd(tile) > size) throw new Error(JSON.stringify(tile));
    return Promise.resolve(hashes);
  };
}

t.test('the root of a log from its tiles', async (t) => {
  for (const size of [1, 2, 3, 255, 256, 257, 511, 512, 513, 600, 65_535, 65_536, 65_537, SIZE]) {
    const root = await rangeRoot([0, size], size, tilesOf(size));
    t.equal(toHex(root), toHex(merkleRoot(leaves.slice(0, size))), `${size} leaves`);
  }
});

t.test('consistency proofs from tiles', async (t) => {
  const sizes = [1, 2, 3, 100, 255, 256, 257, 300, 512, 599, 600];
  for (const to of sizes)
    for (const from of sizes.filter((one) => one <= to)) {
      const path: string[] = [];
      for (const range of consistencyRanges(from, to))
        path.push(toHex(await rangeRoot(range, to, tilesOf(to))));
      t.same(path, consistencyPath(leaves.slice(0, to), from).map(toHex), `${from} to ${to}`);
    }
});
