/** Roots of ranges of a log, read from its tiles (C2SP tlog-tiles). */
import { merkleRoot } from './merkle.ts';
import { rootOfRange, type LeafRange } from './merkle-consistency.ts';
import { TILE_HEIGHT, TILE_WIDTH, type Tile } from './tile.ts';

/** Reads the hashes of a tile, as many as the tile is wide. */
export type ReadHashes = (tile: Tile) => Promise<readonly Uint8Array[]>;

/** Returns the root of a range of leaves that is a node of the RFC 6962 tree, in a log of `size` leaves. */
export function rangeRoot(range: LeafRange, size: number, read: ReadHashes): Promise<Uint8Array> {
  return rootOfRange(range, (begin, height) => subtreeRoot(begin, height, size, read));
}

/** Returns the root of the 2^height leaves from `begin`, a multiple of 2^height. */
async function subtreeRoot(
  begin: number,
  height: number,
  size: number,
  read: ReadHashes,
): Promise<Uint8Array> {
  const level = Math.floor(height / TILE_HEIGHT);
  const leavesPerHash = TILE_WIDTH ** level;
  const first = begin / leavesPerHash;
  const index = Math.floor(first / TILE_WIDTH);
  const width = Math.min(TILE_WIDTH, Math.floor(size / leavesPerHash) - index * TILE_WIDTH);
  const hashes = await read({ level, index, width });
  const at = first % TILE_WIDTH;
  return merkleRoot(hashes.slice(at, at + 2 ** (height % TILE_HEIGHT)));
}
