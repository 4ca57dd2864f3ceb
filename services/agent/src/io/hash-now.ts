import { createHash, hash, type Hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import type { Version } from '@sentinel-node/contracts';
import { NotRegularError } from './kind.ts';

export interface HashedNow {
  readonly now: Version;
  /** Of the first bytes that were asked for, or of all when the file is shorter; null: none were. */
  readonly prefix: Version | null;
  /** The file changed while it was read: what was hashed may never have been there at one moment. */
  readonly torn: boolean;
}

/**
 * Hashes the bytes that a regular file has when it is opened, in pieces of `piece`, without a turn of the event loop.
 * @param onPiece told before each piece how many bytes were read since the one before
 * @throws NotRegularError; Error of node:fs
 */
export function hashNow(
  path: string,
  prefixLength: number | null,
  piece: Buffer,
  onPiece: (bytes: number) => void = () => undefined,
): HashedNow {
  // O_NONBLOCK: a FIFO that has come meanwhile would block.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const before = fstatSync(file);
    if (!before.isFile()) throw new NotRegularError(path, before);
    const read = before.size <= piece.length ? readAtOnce : readInPieces;
    const { now, prefix } = read(file, before.size, prefixLength, piece, onPiece);
    return { now, prefix, torn: isTorn(before, fstatSync(file), now.length) };
  } finally {
    closeSync(file);
  }
}

type Read = Pick<HashedNow, 'now' | 'prefix'>;

/** The piece holds it all: for small files an object of a running hash costs more than the hashing. */
function readAtOnce(
  file: number,
  size: number,
  prefixLength: number | null,
  piece: Buffer,
  onPiece: (bytes: number) => void,
): Read {
  let length = 0;
  while (length < size) {
    const bytes = readSync(file, piece, length, size - length, length);
    if (bytes === 0) break; // it shrank
    length += bytes;
    onPiece(bytes);
  }
  const upTo = (end: number): Version => ({
    length: end,
    hash: hash('sha256', piece.subarray(0, end), 'hex'),
  });
  const now = upTo(length);
  if (prefixLength === null) return { now, prefix: null };
  return { now, prefix: prefixLength >= length ? now : upTo(prefixLength) };
}

function readInPieces(
  file: number,
  size: number,
  prefixLength: number | null,
  piece: Buffer,
  onPiece: (bytes: number) => void,
): Read {
  const running = createHash('sha256');
  const feed = (from: number, to: number): Version => feedFrom(file, running, from, to, piece, onPiece);
  const prefix = prefixLength === null ? null : feed(0, Math.min(prefixLength, size));
  return { now: feed(prefix?.length ?? 0, size), prefix };
}

function feedFrom(
  file: number,
  running: Hash,
  from: number,
  to: number,
  piece: Buffer,
  onPiece: (bytes: number) => void,
): Version {
  let position = from;
  while (position < to) {
    const bytes = readSync(file, piece, 0, Math.min(piece.length, to - position), position);
    if (bytes === 0) break; // it shrank
    running.update(piece.subarray(0, bytes));
    position += bytes;
    onPiece(bytes);
  }
  return { length: position, hash: running.copy().digest('hex') };
}

/** Whether what was read may be of two moments. A file that only grew was read up to where it ended before. */
export function isTorn(before: Stats, after: Stats, read: number): boolean {
  if (read < before.size || after.size < before.size) return true;
  return after.size === before.size && (after.mtimeMs !== before.mtimeMs || after.ctimeMs !== before.ctimeMs);
}
