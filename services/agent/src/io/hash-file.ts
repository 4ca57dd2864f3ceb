import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Version } from '@sentinel-node/contracts';
import { isTorn } from './hash-now.ts';
import { PoolClosedError } from './hash-pool.ts';
import { checkSize, openRegular } from './kind.ts';

/** Read size in bytes. */
const CHUNK_BYTES = 1_048_576;

export interface Hashed {
  readonly now: Version;
  /** Hash of the first `prefixLength` bytes, or of all bytes when the file is shorter; null without `prefixLength`. */
  readonly prefix: Version | null;
  /** The file changed during the read: the hashed bytes may never have existed at one moment. */
  readonly torn: boolean;
  /** Hash state after all bytes, to continue when the file grows. */
  readonly running: Hash;
}

/**
 * Hashes the bytes that the file has at opening, and its first `prefixLength` bytes, in one pass; bytes appended
 * meanwhile belong to the next look. `resume` skips `resume.length` bytes already hashed.
 * @param isStopped asked before each MiB
 * @throws NotRegularError; NoSizeError; PoolClosedError; Error of node:fs
 */
export async function hashFile(
  path: string,
  prefixLength: number | null,
  resume?: { readonly running: Hash; readonly length: number },
  isStopped: () => boolean = () => false,
): Promise<Hashed> {
  const { handle, about } = await openRegular(path);
  try {
    const { size } = about;
    const running = resume === undefined ? createHash('sha256') : resume.running.copy();
    let position = resume?.length ?? 0;
    let prefix: Version | null = null;
    const mark = prefixLength === null ? null : Math.min(prefixLength, size);
    if (mark !== null && mark >= position) {
      position = await feed(handle, running, position, mark, isStopped);
      prefix = { length: position, hash: digest(running) };
    }
    position = await feed(handle, running, position, size, isStopped);
    const beyond = size === 0 ? (await handle.read(Buffer.alloc(1), 0, 1, 0)).bytesRead : 0;
    const after = await handle.stat();
    checkSize(path, about, after, position + beyond);
    const torn = isTorn(about, after, position);
    return { now: { length: position, hash: digest(running) }, prefix, torn, running };
  } finally {
    await handle.close();
  }
}

async function feed(
  handle: FileHandle,
  hash: Hash,
  from: number,
  to: number,
  isStopped: () => boolean,
): Promise<number> {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(1, to - from)));
  let position = from;
  while (position < to) {
    if (isStopped()) throw new PoolClosedError('the agent stops');
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, to - position), position);
    if (bytesRead === 0) break; // the file shrank during the read: the next look sees the shorter file
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
  return position;
}

const digest = (hash: Hash): string => hash.copy().digest('hex');
