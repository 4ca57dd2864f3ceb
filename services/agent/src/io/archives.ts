import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { LIMITS, regexpProgramSteps, type Version } from '@sentinel-node/contracts';
import { RE2JS } from 're2js';
import { decompressed, formatOf, UnreadableArchiveError } from './decompress.ts';
import { openRegular } from './kind.ts';
import type { PieceReads } from './piece-reads.ts';

export interface ArchiveFile {
  readonly name: string;
  readonly path: string;
  readonly inode: string;
  /** Size in bytes, as it is compressed. */
  readonly size: number;
  /** Modification time in ms; a rename and a compression both keep it. */
  readonly modifiedAt: number;
  /** Time of the last change of content or name in ms. */
  readonly changedAt: number;
  /** Device, inode, size and times; changes with every change of the content and with a rename. */
  readonly signature: string;
}

/** Stands for bytes of a name that are not UTF-8: no file is found by such a name. */
export const NO_UTF8 = '\ufffd';

/**
 * Returns a matcher of whole base names. RE2 and the server's size limit ensure that no pattern can hang the agent.
 * @throws Error for a pattern above the limit, or without RE2 syntax
 */
export function archivePattern(pattern: string): (name: string) => boolean {
  if (regexpProgramSteps(pattern) > LIMITS.regexpProgramSteps)
    throw new Error(
      `the expression for archives takes more than ${LIMITS.regexpProgramSteps} steps: ${pattern}`,
    );
  const compiled = RE2JS.compile(pattern);
  return (name) => compiled.matches(name);
}

/** Most decompressed bytes of one archive; a larger archive is an error, which prevents an endless read. */
const ARCHIVE_BYTES = 16 * 1024 ** 3;

/** Names of archives that are never empty when they are whole: gzip, xz, zstd and bzip2 have a header. */
const COMPRESSED_NAME = /\.(gz|xz|zst|bz2)$/;

export interface ArchiveReads {
  readonly reads: PieceReads;
  /** Whether the file system is local and answers without delay. */
  readonly isLocal: boolean;
}

export interface HashedArchive {
  readonly whole: Version;
  readonly prefix: Version;
}

/**
 * Hashes the decompressed content of the bytes that an archive has at opening, and its first `prefixLength` bytes.
 * @throws UnreadableArchiveError; NotRegularError; PoolClosedError; Error of node:fs
 */
export async function hashArchive(
  path: string,
  prefixLength: number,
  { reads, isLocal }: ArchiveReads,
): Promise<HashedArchive> {
  const { handle, about } = await openRegular(path);
  try {
    // A program that compresses makes its file at once, and writes much later.
    if (about.size === 0 && COMPRESSED_NAME.test(path))
      throw new UnreadableArchiveError('nothing is written to it yet', true);
    const raw = (): Readable =>
      Readable.from(reads.pieces({ handle, from: 0, to: about.size, isLocal }), { highWaterMark: 1 });
    const format = await formatOf(handle);
    if (format === undefined) return await hashContent(raw(), prefixLength);
    return await reads.decompress(about.size, isLocal, () =>
      hashContent(decompressed(format, raw()), prefixLength),
    );
  } finally {
    await handle.close();
  }
}

async function hashContent(content: AsyncIterable<Buffer>, prefixLength: number): Promise<HashedArchive> {
  const hash = createHash('sha256');
  const digest = (): string => hash.copy().digest('hex');
  let length = 0;
  let prefix: Version | null = prefixLength === 0 ? { length: 0, hash: digest() } : null;
  for await (const chunk of content) {
    const rest = prefixLength - length;
    if (prefix === null && chunk.length >= rest) {
      hash.update(chunk.subarray(0, rest));
      prefix = { length: prefixLength, hash: digest() };
      hash.update(chunk.subarray(rest));
    } else {
      hash.update(chunk);
    }
    length += chunk.length;
    if (length > ARCHIVE_BYTES)
      throw new UnreadableArchiveError(`it holds more than ${ARCHIVE_BYTES} bytes`, false);
  }
  const whole = { length, hash: digest() };
  return { whole, prefix: prefix ?? whole };
}

/**
 * Reads the beginning of an archive, decompressed. @throws Error as `hashArchive`; what comes later may be broken nevertheless
 */
export async function probeArchive(path: string): Promise<void> {
  const { handle } = await openRegular(path);
  try {
    const raw = handle.createReadStream({ start: 0, autoClose: false });
    const format = await formatOf(handle);
    const contents: AsyncIterable<Buffer> = format === undefined ? raw : decompressed(format, raw);
    for await (const _ of contents) break;
  } finally {
    await handle.close();
  }
}

/**
 * Hashes the raw bytes that an archive has at opening, which cannot be decompressed. @throws PoolClosedError; Error of node:fs
 */
export async function hashRaw(path: string, { reads, isLocal }: ArchiveReads): Promise<Version> {
  const { handle, about } = await openRegular(path);
  try {
    const hash = createHash('sha256');
    const part = { handle, from: 0, to: about.size, isLocal };
    const length = await reads.feed(part, (piece) => hash.update(piece));
    return { length, hash: hash.digest('hex') };
  } finally {
    await handle.close();
  }
}
