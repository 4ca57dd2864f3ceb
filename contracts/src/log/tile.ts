/** Paths and bytes of the tiles in which a log publishes its tree and its entries (C2SP tlog-tiles). */
import { concatBytes } from '../bytes/bytes.ts';

/** Hashes, or entries, of a full tile. */
export const TILE_WIDTH = 256;
/** Levels of the tree from one tile to the tile above. */
export const TILE_HEIGHT = 8;
/** Path of the tiles below the public address. */
export const TILES_PREFIX = '/tile/';

export interface Tile {
  /** 0 to 63: of leaf hashes, of the roots of full tiles of level 0, and so on; or a bundle of entries. */
  readonly level: number | 'entries';
  /** Place within the level, from 0. */
  readonly index: number;
  /** 1 to 256; below 256 the tile is partial. */
  readonly width: number;
}

const HIGHEST_LEVEL = 63;
const LENGTH_BYTES = 2;
/** Six groups of three digits hold every safe integer. */
const TILE_PATH = /^\/tile\/(entries|\d{1,2})\/((?:x\d{3}\/){0,5}\d{3})(?:\.p\/(\d{1,3}))?$/;

/** Returns `/tile/<level>/<index>`, with `.p/<width>` when partial. @throws RangeError for an invalid tile */
export function tilePath(tile: Tile): string {
  const { level, index, width } = tile;
  if (!isTile(tile)) throw new RangeError(`no tile: level ${level}, index ${index}, width ${width}`);
  const [last = '', ...higher] = groupsOfThree(index).reverse();
  const groups = [...higher.reverse().map((group) => `x${group}`), last];
  return `${TILES_PREFIX}${level}/${groups.join('/')}${width === TILE_WIDTH ? '' : `.p/${width}`}`;
}

/** Returns the tile that `path` names; undefined for any spelling other than that of `tilePath`. */
export function parseTilePath(path: string): Tile | undefined {
  const [, level, digits = '', width = TILE_WIDTH] = TILE_PATH.exec(path) ?? [];
  if (level === undefined) return undefined;
  const tile = {
    level: level === 'entries' ? level : Number(level),
    index: Number(digits.replaceAll(/[x/]/g, '')),
    width: Number(width),
  } as const;
  return isTile(tile) && tilePath(tile) === path ? tile : undefined;
}

/** Returns the size of the smallest log that has the tile. Above 2^53 − 1 it is inexact, and no log has the tile. */
export function tileEnd({ level, index, width }: Tile): number {
  return (index * TILE_WIDTH + width) * (level === 'entries' ? 1 : TILE_WIDTH ** level);
}

/** Joins entries, each after its length (u16, big-endian). @throws RangeError on an entry above 65,535 bytes */
export function encodeEntryBundle(entries: readonly Uint8Array[]): Uint8Array {
  return concatBytes(
    ...entries.flatMap((entry) => {
      const length = new Uint8Array(LENGTH_BYTES);
      if (entry.length > 0xffff) throw new RangeError('an entry has at most 65,535 bytes');
      new DataView(length.buffer).setUint16(0, entry.length);
      return [length, entry];
    }),
  );
}

function isTile({ level, index, width }: Tile): boolean {
  const isLevel = level === 'entries' || (Number.isInteger(level) && level >= 0 && level <= HIGHEST_LEVEL);
  const isIndex = Number.isSafeInteger(index) && index >= 0;
  return isLevel && isIndex && Number.isInteger(width) && width >= 1 && width <= TILE_WIDTH;
}

function groupsOfThree(index: number): string[] {
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0');
  return padded.match(/\d{3}/g) ?? [];
}
