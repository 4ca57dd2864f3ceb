import { concatBytes, encodeEntryBundle, TILE_HEIGHT, TILE_WIDTH, type Tile } from '@sentinel-node/contracts';
import { nodeBefore, type ReadLog } from './log-nodes.ts';

/** Returns the sizes of the logs that `tileBytes` reads. */
export function sizesOf(tile: Tile): number[] {
  const ends = endsOf(tile);
  return heightOf(tile) === 0 ? ends : [...new Set(ends.flatMap((end) => [end - 1, end]))];
}

/**
 * Returns the hashes of a tile, 32 bytes each, or its entries with their lengths (C2SP tlog-tiles). The log must have
 * the tile.
 */
export async function tileBytes(tile: Tile, read: ReadLog): Promise<Uint8Array> {
  const ends = endsOf(tile);
  if (tile.level === 'entries') {
    const entries: Uint8Array[] = [];
    for (const end of ends) entries.push((await read(end)).header);
    return encodeEntryBundle(entries);
  }
  const hashes: Uint8Array[] = [];
  for (const end of ends) hashes.push(await nodeBefore(end, heightOf(tile), read));
  return concatBytes(...hashes);
}

/** Returns for each hash or entry of the tile the number of leaves up to its last leaf. */
function endsOf(tile: Tile): number[] {
  const leaves = 2 ** heightOf(tile);
  const before = tile.index * TILE_WIDTH;
  return Array.from({ length: tile.width }, (_, at) => (before + at + 1) * leaves);
}

const heightOf = ({ level }: Tile): number => (level === 'entries' ? 0 : level * TILE_HEIGHT);
