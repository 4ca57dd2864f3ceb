import { createHash, type Hash } from 'node:crypto';
import type { Version } from '@sentinel-node/contracts';
import { isTorn, type Inode } from './hash-now.ts';
import { checkSize, openRegular } from './kind.ts';
import type { PieceReads } from './piece-reads.ts';

export interface HashFileOptions {
  readonly reads: PieceReads;
  /** Whether the file system is local and answers without delay. */
  readonly isLocal: boolean;
  /** Hash state after `length` bytes, which are not read again. */
  readonly resume?: { readonly running: Hash; readonly length: number } | undefined;
}

export interface Hashed {
  readonly now: Version;
  /** Hash of the first `prefixLength` bytes, or of all bytes when the file is shorter; null without `prefixLength`. */
  readonly prefix: Version | null;
  /** The file changed during the read: the hashed bytes may never have existed at one moment. */
  readonly torn: boolean;
  /** The file that was opened. */
  readonly about: Inode;
  /** Hash state after all bytes, to continue when the file grows. */
  readonly running: Hash;
}

/**
 * Hashes the bytes that the file has at opening, and its first `prefixLength` bytes, in one pass; bytes appended
 * meanwhile belong to the next look.
 * @throws NotRegularError; NoSizeError; PoolClosedError; Error of node:fs
 */
export async function hashFile(
  path: string,
  prefixLength: number | null,
  { reads, isLocal, resume }: HashFileOptions,
): Promise<Hashed> {
  const { handle, about } = await openRegular(path);
  try {
    const { size } = about;
    const running = resume === undefined ? createHash('sha256') : resume.running.copy();
    let position = resume?.length ?? 0;
    let prefix: Version | null = null;
    const feed = (from: number, to: number): Promise<number> =>
      reads.feed({ handle, from, to, isLocal }, (piece) => running.update(piece));
    const mark = prefixLength === null ? null : Math.min(prefixLength, size);
    if (mark !== null && mark >= position) {
      position = await feed(position, mark);
      prefix = { length: position, hash: digest(running) };
    }
    position = await feed(position, size);
    const beyond = size === 0 ? (await handle.read(Buffer.alloc(1), 0, 1, 0)).bytesRead : 0;
    const after = await handle.stat();
    checkSize(path, about, after, position + beyond);
    const torn = isTorn(about, after, position);
    return { now: { length: position, hash: digest(running) }, prefix, torn, about, running };
  } finally {
    await handle.close();
  }
}

const digest = (hash: Hash): string => hash.copy().digest('hex');
