import { createHash, hash, type Hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import type { Version } from '@sentinel-node/contracts';
import { checkSize, NotRegularError } from './kind.ts';

export interface Hashes {
  readonly now: Version;
  /** Hash of the first `prefixLength` bytes, or of all bytes when the file is shorter; null without `prefixLength`. */
  readonly prefix: Version | null;
  /** The file changed during the read: the hashed bytes may never have existed at one moment. */
  readonly torn: boolean;
}

export interface HashedNow extends Hashes {
  /** Stats of the opened file, before the read. */
  readonly about: Stats;
}

/** O_NONBLOCK, because opening a FIFO would block if one replaced the file. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Hashes the bytes that a regular file has at opening, synchronously.
 * @param piece buffer for reading @param onPiece called after each read with the number of bytes
 * @throws ELOOP for a link that is not to be followed, EFBIG for a file above `maxBytes`
 * @throws NotRegularError; NoSizeError; Error of node:fs
 */
export function hashNow(
  path: string,
  prefixLength: number | null,
  piece: Buffer,
  onPiece: (bytes: number) => void = () => undefined,
  {
    mayFollow = true,
    maxBytes = Infinity,
  }: { readonly mayFollow?: boolean; readonly maxBytes?: number } = {},
): HashedNow {
  const file = openSync(path, mayFollow ? FLAGS : FLAGS | constants.O_NOFOLLOW);
  try {
    const before = fstatSync(file);
    if (!before.isFile()) throw new NotRegularError(path, before);
    if (before.size > maxBytes) throw Object.assign(new Error(`${path} is too large`), { code: 'EFBIG' });
    const read = before.size <= piece.length ? readAtOnce : readInPieces;
    const { now, prefix } = read(file, before.size, prefixLength, piece, onPiece);
    const beyond = before.size === 0 ? readSync(file, piece, 0, 1, 0) : 0;
    const after = fstatSync(file);
    checkSize(path, before, after, now.length + beyond);
    return { now, prefix, torn: isTorn(before, after, now.length), about: before };
  } finally {
    closeSync(file);
  }
}

type Read = Pick<Hashes, 'now' | 'prefix'>;

/** Hashes a file that fits into `piece`: for small files a Hash object costs more than hashing. */
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
    if (bytes === 0) break; // the file shrank
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
    if (bytes === 0) break; // the file shrank
    running.update(piece.subarray(0, bytes));
    position += bytes;
    onPiece(bytes);
  }
  return { length: position, hash: running.copy().digest('hex') };
}

/** Returns whether the read bytes may mix two moments. Growth is no tear: the read stops at the size at opening. */
export function isTorn(before: Stats, after: Stats, read: number): boolean {
  if (read < before.size || after.size < before.size) return true;
  return after.size === before.size && (after.mtimeMs !== before.mtimeMs || after.ctimeMs !== before.ctimeMs);
}
