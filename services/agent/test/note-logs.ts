/** Signed logs of batch headers, and forks of them, for tests of monitors and witnesses. */
import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import {
  batchHeaderHash,
  concatBytes,
  consistencyPath,
  encodeAddCheckpoint,
  encodeBatchHeader,
  encodeEntryBundle,
  leafHash,
  logIdOf,
  merkleRoot,
  parseTilePath,
  signCheckpoint,
  tileEnd,
  type BatchHeader,
} from '@sentinel-node/contracts';

export interface Key {
  readonly publicKey: Uint8Array;
  readonly privateKey: KeyObject;
}
export function newKey(): Key {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { publicKey: new Uint8Array(Buffer.from(x, 'base64url')), privateKey };
}

export interface LogOptions {
  readonly key: Key;
  readonly origin: string;
  /** First entry that is another log's. */
  readonly forkAt?: number;
  /** Changes a header; the signed root covers the changed headers. */
  readonly change?: (header: BatchHeader) => BatchHeader;
  /** Closing time of batch 0, in ms; each further batch closes a second later. */
  readonly closedAt?: number;
}

/** Returns a log of real headers, each with the previous header's hash. */
export function headerLog(size: number, options: LogOptions) {
  const { key, origin, forkAt = size, change = (header) => header, closedAt = 1_700_000_000_000 } = options;
  const entries: Uint8Array[] = [];
  let previous: Uint8Array = new Uint8Array(32);
  for (let batch = 0; batch < size; batch++) {
    const header = change({
      logId: logIdOf(key.publicKey),
      batch,
      previousHash: previous,
      closedAt: closedAt + 1_000 * batch,
      leafCount: 2,
      leafRoot: createHash('sha256')
        .update(`${batch < forkAt ? 'a' : 'b'}${batch}`)
        .digest(),
      mapSize: 0,
      mapRoot: new Uint8Array(32),
      totalLeaves: 2 * (batch + 1),
    });
    entries.push(encodeBatchHeader(header));
    previous = batchHeaderHash(entries.at(-1)!);
  }
  const leaves = entries.map(leafHash);
  const signer = (message: Uint8Array) => new Uint8Array(sign(null, message, key.privateKey));
  const noteOf = (count: number): string =>
    signCheckpoint({ origin, size: count, root: merkleRoot(leaves.slice(0, count)) }, key.publicKey, signer);
  const levels = [leaves];
  for (let below = leaves; below.length >= 256; levels.push(below))
    below = Array.from({ length: Math.floor(below.length / 256) }, (_, at) =>
      merkleRoot(below.slice(at * 256, (at + 1) * 256)),
    );
  return {
    size,
    note: noteOf(size),
    noteOf,
    /** Body of `add-checkpoint`. */
    offer: (oldSize: number, count = size): string =>
      encodeAddCheckpoint({
        oldSize,
        path: oldSize > count ? [] : consistencyPath(leaves.slice(0, count), oldSize),
        checkpoint: noteOf(count),
      }),
    /** Returns a tile's bytes; undefined when the log does not have the tile. */
    tile: (path: string): Uint8Array | undefined => {
      const tile = parseTilePath(path);
      if (tile === undefined || tileEnd(tile) > size) return undefined;
      const from = tile.index * 256;
      return tile.level === 'entries'
        ? encodeEntryBundle(entries.slice(from, from + tile.width))
        : concatBytes(...levels[tile.level]!.slice(from, from + tile.width));
    },
  };
}
export type HeaderLog = ReturnType<typeof headerLog>;
