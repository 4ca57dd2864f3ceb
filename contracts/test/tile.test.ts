import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { encodeEntryBundle, parseTilePath, tileEnd, tilePath, type Tile } from '../src/log/tile.ts';

const MOST = Number.MAX_SAFE_INTEGER;

t.test('paths are those of C2SP tlog-tiles', (t) => {
  const paths: [string, Tile][] = [
    ['/tile/0/000', { level: 0, index: 0, width: 256 }],
    ['/tile/0/x001/x234/067', { level: 0, index: 1_234_067, width: 256 }],
    ['/tile/0/273.p/112', { level: 0, index: 273, width: 112 }],
    ['/tile/2/000.p/1', { level: 2, index: 0, width: 1 }],
    ['/tile/63/999.p/255', { level: 63, index: 999, width: 255 }],
    ['/tile/1/x001/000', { level: 1, index: 1_000, width: 256 }],
    ['/tile/entries/x001/x234/067.p/9', { level: 'entries', index: 1_234_067, width: 9 }],
    ['/tile/0/x009/x007/x199/x254/x740/991', { level: 0, index: MOST, width: 256 }],
  ];
  for (const [path, tile] of paths) {
    t.strictSame(parseTilePath(path), tile, path);
    t.equal(tilePath(tile), path);
  }
  t.end();
});

t.test('every tile has one path, and every path of a tile gives it back', (t) => {
  const level = fc.oneof(fc.integer({ min: 0, max: 63 }), fc.constant('entries' as const));
  const index = fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.maxSafeNat());
  const tile = fc.record({ level, index, width: fc.integer({ min: 1, max: 256 }) });
  fc.assert(
    fc.property(tile, (one) => {
      const path = tilePath(one);
      t.same(parseTilePath(path), one, path);
    }),
  );
  t.end();
});

t.test('another spelling is no tile', (t) => {
  const bad = {
    'no index': ['/tile/0', '/tile/0/', '/tile/', '/tile/entries', '/tile/entries/'],
    'a level above 63, or spelled otherwise': [
      '/tile/64/000',
      '/tile/99/000',
      '/tile/100/000',
      '/tile/00/000',
    ],
    'a level that is none': ['/tile/-1/000', '/tile/+1/000', '/tile/1.5/000', '/tile/a/000', '/tile//000'],
    'other kinds of tiles': ['/tile/data/000', '/tile/names/000', '/tile/Entries/000', '/tile/8/0/000'],
    'not three digits': ['/tile/0/0', '/tile/0/00', '/tile/0/0000', '/tile/0/x1/000', '/tile/0/x0001/000'],
    'groups without x, or with one at the end': ['/tile/0/001/000', '/tile/0/x001', '/tile/0/x001/x000'],
    'leading groups of zeros': ['/tile/0/x000/001', '/tile/0/x000/x001/000'],
    'a negative index': ['/tile/0/-01', '/tile/0/-001', '/tile/0/x-01/000'],
    'an index beyond 2^53 - 1': [
      '/tile/0/x009/x007/x199/x254/x740/992',
      '/tile/0/x999/x999/x999/x999/x999/999',
    ],
    'too many groups': ['/tile/0/x001/x000/x000/x000/x000/x000/000'],
    'a width that is none': ['/tile/0/000.p/0', '/tile/0/000.p/256', '/tile/0/000.p/300', '/tile/0/000.p/-1'],
    'a width spelled otherwise': ['/tile/0/000.p/', '/tile/0/000.p', '/tile/0/000.p/01', '/tile/0/000.p/1a'],
    'something before, after or between': ['/tile/0/000/', ' /tile/0/000', '/tile/0/000\n', '/x/tile/0/000'],
    'encoded or other digits': [
      '/tile/0/%30%30%30',
      '/tile/0/٠٠٠',
      '/tile/0/x001%2f000',
      '/tile/0/000%2Ep/1',
    ],
    'a way up': ['/tile/../checkpoint', '/tile/0/../000', '/tile/0/./000', '/tile/0//000'],
  };
  for (const [what, paths] of Object.entries(bad))
    for (const path of paths) t.equal(parseTilePath(path), undefined, `${what}: ${path}`);
  t.end();
});

t.test('what is no tile has no path', (t) => {
  const tile = { level: 0, index: 0, width: 256 } as const;
  const none: Partial<Tile>[] = [
    ...[64, -1, 0.5, Number.NaN].map((level) => ({ level })),
    ...[-1, 0.5, MOST + 1].map((index) => ({ index })),
    ...[0, 257, 1.5].map((width) => ({ width })),
  ];
  for (const wrong of none)
    t.throws(() => tilePath({ ...tile, ...wrong }), RangeError, JSON.stringify(wrong));
  t.end();
});

t.test('where a tile ends', (t) => {
  t.equal(tileEnd({ level: 0, index: 0, width: 1 }), 1);
  t.equal(tileEnd({ level: 'entries', index: 2, width: 256 }), 768);
  t.equal(tileEnd({ level: 1, index: 1, width: 17 }), (256 + 17) * 256);
  t.equal(tileEnd({ level: 2, index: 0, width: 1 }), 65_536);
  t.notOk(Number.isSafeInteger(tileEnd({ level: 63, index: 0, width: 1 })));
  t.end();
});

t.test('entries stand after their lengths', (t) => {
  const bundle = encodeEntryBundle([new Uint8Array(0), Uint8Array.of(7), new Uint8Array(258).fill(9)]);
  t.same([...bundle.subarray(0, 8)], [0, 0, 0, 1, 7, 1, 2, 9]);
  t.equal(bundle.length, 3 * 2 + 1 + 258);
  t.equal(encodeEntryBundle([new Uint8Array(65_535)]).length, 65_537);
  t.throws(() => encodeEntryBundle([new Uint8Array(65_536)]), RangeError);
  t.end();
});
