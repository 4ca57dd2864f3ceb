import { createHash, type Hash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import type { Readable } from 'node:stream';
import type { Version } from '@sentinel-node/contracts';

/** Read size in bytes. */
const CHUNK_BYTES = 1_048_576;
const GZIP_MAGIC = [0x1f, 0x8b] as const;

export interface Hashed {
  readonly now: Version;
  /** Of the first `prefixLength` bytes, or of all when the file is shorter; null when no prefix was asked for. */
  readonly prefix: Version | null;
  /** State after all bytes; goes on when the file grows. */
  readonly running: Hash;
}

/**
 * Hashes the bytes that the file has when it is opened, once, noting the hash of its first `prefixLength` bytes on the
 * way; what is appended meanwhile belongs to the next look. `resume` skips `resume.length` bytes already hashed.
 * @throws Error of node:fs
 */
export async function hashFile(
  path: string,
  prefixLength: number | null,
  resume?: { readonly running: Hash; readonly length: number },
): Promise<Hashed> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const running = resume === undefined ? createHash('sha256') : resume.running.copy();
    let position = resume?.length ?? 0;
    let prefix: Version | null = null;
    const mark = prefixLength === null ? null : Math.min(prefixLength, size);
    if (mark !== null && mark >= position) {
      position = await feed(handle, running, position, mark);
      prefix = { length: position, hash: digest(running) };
    }
    position = await feed(handle, running, position, size);
    return { now: { length: position, hash: digest(running) }, prefix, running };
  } finally {
    await handle.close();
  }
}

/**
 * Hashes the first `length` bytes, or all when the file is shorter, and reads no further; `size` is that of the whole.
 * @throws Error of node:fs
 */
export async function hashPrefix(path: string, length: number): Promise<{ prefix: Version; size: number }> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const hash = createHash('sha256');
    const position = await feed(handle, hash, 0, Math.min(length, size));
    return { prefix: { length: position, hash: digest(hash) }, size };
  } finally {
    await handle.close();
  }
}

async function feed(handle: FileHandle, hash: Hash, from: number, to: number): Promise<number> {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(1, to - from)));
  let position = from;
  while (position < to) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, to - position), position);
    if (bytesRead === 0) break; // it shrank while being read: the next look sees the shorter file
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
  return position;
}

const digest = (hash: Hash): string => hash.copy().digest('hex');

/** Most decompressed bytes of one archive; a larger one is an error, not an endless read. */
const ARCHIVE_BYTES = 16 * 1024 ** 3;

/** Hashes an archive's contents, decompressed when it is gzip (RFC 1952), and its first `prefixLength` bytes. */
export async function hashArchive(
  path: string,
  prefixLength: number,
): Promise<{ whole: Version; prefix: Version }> {
  const handle = await open(path, 'r');
  try {
    const magic = Buffer.alloc(2);
    await handle.read(magic, 0, 2, 0);
    const raw = handle.createReadStream({ start: 0, autoClose: false, highWaterMark: CHUNK_BYTES });
    const gzip = magic[0] === GZIP_MAGIC[0] && magic[1] === GZIP_MAGIC[1];
    const contents: Readable = gzip ? raw.on('error', () => undefined).pipe(createGunzip()) : raw;
    const hash = createHash('sha256');
    let length = 0;
    let prefix: Version | null = prefixLength === 0 ? { length: 0, hash: digest(hash) } : null;
    for await (const data of contents) {
      const chunk = data as Buffer;
      const rest = prefixLength - length;
      if (prefix === null && chunk.length >= rest) {
        hash.update(chunk.subarray(0, rest));
        prefix = { length: prefixLength, hash: digest(hash) };
        hash.update(chunk.subarray(rest));
      } else {
        hash.update(chunk);
      }
      length += chunk.length;
      if (length > ARCHIVE_BYTES) throw new RangeError(`${path} holds more than ${ARCHIVE_BYTES} bytes`);
    }
    const whole = { length, hash: digest(hash) };
    return { whole, prefix: prefix ?? whole };
  } finally {
    await handle.close();
  }
}
