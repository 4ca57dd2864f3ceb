import { createHash } from 'node:crypto';
import { LIMITS, regexpProgramSteps, type Version } from '@sentinel-node/contracts';
import { RE2JS } from 're2js';
import { contentsOf, UnreadableArchiveError } from './decompress.ts';
import { openRegular } from './kind.ts';

export interface ArchiveFile {
  readonly name: string;
  readonly path: string;
  readonly inode: string;
  /** Modification time in ms; a rename and a compression both keep it. */
  readonly modifiedAt: number;
  /** Time of the last change of content or name in ms. */
  readonly changedAt: number;
  /** Device, inode, size and times; changes with every change of the content and with a rename. */
  readonly signature: string;
}

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

/**
 * Hashes an archive's decompressed content and its first `prefixLength` bytes.
 * @throws UnreadableArchiveError; NotRegularError; Error of node:fs
 */
export async function hashArchive(
  path: string,
  prefixLength: number,
): Promise<{ whole: Version; prefix: Version }> {
  const { handle } = await openRegular(path);
  try {
    const hash = createHash('sha256');
    const digest = (): string => hash.copy().digest('hex');
    let length = 0;
    let prefix: Version | null = prefixLength === 0 ? { length: 0, hash: digest() } : null;
    const contents: AsyncIterable<Buffer> = await contentsOf(handle);
    for await (const chunk of contents) {
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
  } finally {
    await handle.close();
  }
}

/**
 * Reads the beginning of an archive, decompressed. @throws Error as `hashArchive`; what comes later may be broken nevertheless
 */
export async function probeArchive(path: string): Promise<void> {
  const { handle } = await openRegular(path);
  try {
    const contents: AsyncIterable<Buffer> = await contentsOf(handle);
    for await (const _ of contents) break;
  } finally {
    await handle.close();
  }
}

/** Hashes the raw bytes of an archive that cannot be decompressed. @throws Error of node:fs */
export async function hashRaw(path: string): Promise<Version> {
  const { handle } = await openRegular(path);
  try {
    const hash = createHash('sha256');
    let length = 0;
    const contents: AsyncIterable<Buffer> = handle.createReadStream({ autoClose: false });
    for await (const chunk of contents) {
      hash.update(chunk);
      length += chunk.length;
    }
    return { length, hash: hash.digest('hex') };
  } finally {
    await handle.close();
  }
}
