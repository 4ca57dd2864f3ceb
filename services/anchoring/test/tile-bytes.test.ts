import { leafHash, merkleRoot, TILE_WIDTH, toHex, type Tile } from '@sentinel-node/contracts';
import t from 'tap';
import { sizesOf, tileBytes } from '../src/domain/tile-bytes.ts';
import { logsOf } from './published-log.ts';

t.test('every tile of a log of 70,000 entries, on each level', async (t) => {
  const size = 70_000;
  const logs = logsOf(size);
  let level = logs.map(({ header }) => leafHash(header));
  const counts: number[] = [];
  for (let number = 0; level.length > 0; number++) {
    for (let index = 0; index * TILE_WIDTH < level.length; index++) {
      const wanted = level.slice(index * TILE_WIDTH, (index + 1) * TILE_WIDTH);
      const tile: Tile = { level: number, index, width: wanted.length };
      const allowed = new Set(sizesOf(tile));
      const bytes = await tileBytes(tile, (read) => {
        if (!allowed.has(read)) throw new Error(`${read} is not told`);
        return Promise.resolve(logs[read - 1]!);
      });
      if (toHex(bytes) !== wanted.map(toHex).join('')) t.fail(`level ${number}, tile ${index}`);
    }
    counts.push(level.length);
    const full = Math.floor(level.length / TILE_WIDTH);
    level = Array.from({ length: full }, (_, at) =>
      merkleRoot(level.slice(at * TILE_WIDTH, (at + 1) * TILE_WIDTH)),
    );
  }
  // The example of the specification: 273 full tiles and one of 112; one full tile and one of 17; one of 1.
  t.same(counts, [70_000, 273, 1]);
});

t.test('entries stand after their lengths', async (t) => {
  const logs = logsOf(600);
  const bundle = await tileBytes({ level: 'entries', index: 2, width: 88 }, (size) => {
    return Promise.resolve(logs[size - 1]!);
  });
  const expected = logs.slice(512).map(({ header }) => `00b6${toHex(header)}`);
  t.equal(toHex(bundle), expected.join(''));
});

t.test('a tile reads at most two logs a hash', (t) => {
  t.same(sizesOf({ level: 'entries', index: 1, width: 2 }), [257, 258]);
  t.same(sizesOf({ level: 0, index: 0, width: 3 }), [1, 2, 3]);
  t.same(sizesOf({ level: 1, index: 0, width: 2 }), [255, 256, 511, 512]);
  t.equal(sizesOf({ level: 2, index: 7, width: 256 }).length, 512);
  t.end();
});
