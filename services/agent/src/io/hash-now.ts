import { createHash, hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import type { Version } from '@sentinel-node/contracts';
import { checkSize, NotRegularError } from './kind.ts';

export interface Hashes {
  readonly now: Version;
  /** Hash of the first `prefixLength` bytes, or of all bytes when the file is shorter; null without `prefixLength`. */
  readonly prefix: Version | null;
  /** The file changed during the read: the hashed bytes may never have existed at one moment. */
  readonly torn: boolean;
  /** The file that was opened. */
  readonly about: Inode;
}

export type Inode = Pick<Stats, 'dev' | 'ino'>;

export interface HashedNow extends Hashes {
  /** Stats of the opened file, before the read. */
  readonly about: Stats;
}

/** O_NONBLOCK, because opening a FIFO would block if one replaced the file. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Hashes the bytes that a regular file has at opening, synchronously.
 * @param piece buffer for reading
 * @throws ELOOP for a link that is not to be followed, EFBIG for a file above `maxBytes`
 * @throws NotRegularError; NoSizeError; Error of node:fs
 */
export function hashNow(
  path: string,
  prefixLength: number | null,
  piece: Buffer,
  options: HashNowOptions = {},
): HashedNow {
  const hashing = hashInPieces(path, prefixLength, piece, options);
  for (;;) {
    const step = hashing.next();
    if (step.done === true) return step.value;
  }
}

export interface HashNowOptions {
  readonly mayFollow?: boolean;
  readonly maxBytes?: number;
  /** The caller compares the file's stats with `about` itself, after the read: `torn` then shows only a file that shrank. */
  readonly isComparedLater?: boolean;
}

/**
 * Does the same step by step; `piece` may serve others in between. Yields the number of bytes that are left, before each read.
 * @throws as `hashNow`
 */
export function* hashInPieces(
  path: string,
  prefixLength: number | null,
  piece: Buffer,
  { mayFollow = true, maxBytes = Infinity, isComparedLater = false }: HashNowOptions = {},
): Generator<number, HashedNow, void> {
  const file = openSync(path, mayFollow ? FLAGS : FLAGS | constants.O_NOFOLLOW);
  try {
    const before = fstatSync(file);
    if (!before.isFile()) throw new NotRegularError(path, before);
    if (before.size > maxBytes) throw Object.assign(new Error(`${path} is too large`), { code: 'EFBIG' });
    const read = before.size <= piece.length ? readAtOnce : readInPieces;
    const { now, prefix } = yield* read(file, before.size, prefixLength, piece);
    const beyond = before.size === 0 ? readSync(file, piece, 0, 1, 0) : 0;
    const after = isComparedLater ? before : fstatSync(file);
    checkSize(path, before, after, now.length + beyond);
    return { now, prefix, torn: isTorn(before, after, now.length), about: before };
  } finally {
    closeSync(file);
  }
}

type Read = Pick<Hashes, 'now' | 'prefix'>;

/** Hashes a file that fits into `piece`: for small files a Hash object costs more than hashing. */
function* readAtOnce(
  file: number,
  size: number,
  prefixLength: number | null,
  piece: Buffer,
): Generator<number, Read, void> {
  if (size > 0) yield size;
  let length = 0;
  while (length < size) {
    const bytes = readSync(file, piece, length, size - length, length);
    if (bytes === 0) break; // the file shrank
    length += bytes;
  }
  const upTo = (end: number): Version => ({
    length: end,
    hash: hash('sha256', piece.subarray(0, end), 'hex'),
  });
  const now = upTo(length);
  if (prefixLength === null) return { now, prefix: null };
  return { now, prefix: prefixLength >= length ? now : upTo(prefixLength) };
}

function* readInPieces(
  file: number,
  size: number,
  prefixLength: number | null,
  piece: Buffer,
): Generator<number, Read, void> {
  const running = createHash('sha256');
  let length = 0;
  function* feed(to: number): Generator<number, Version, void> {
    while (length < to) {
      yield size - length;
      const bytes = readSync(file, piece, 0, Math.min(piece.length, to - length), length);
      if (bytes === 0) break; // the file shrank
      running.update(piece.subarray(0, bytes));
      length += bytes;
    }
    return { length, hash: running.copy().digest('hex') };
  }
  const prefix = prefixLength === null ? null : yield* feed(Math.min(prefixLength, size));
  return { now: yield* feed(size), prefix };
}

/** Returns whether the read bytes may mix two moments. Growth is no tear: the read stops at the size at opening. */
export function isTorn(before: Stats, after: Stats, read: number): boolean {
  if (read < before.size || after.size < before.size) return true;
  return after.size === before.size && (after.mtimeMs !== before.mtimeMs || after.ctimeMs !== before.ctimeMs);
}
