import { createHash } from 'node:crypto';
import { LIMITS, regexpProgramSteps, type Version } from '@sentinel-node/contracts';
import { RE2JS } from 're2js';
import { contentsOf, UnreadableArchiveError } from './decompress.ts';
import { openRegular } from './kind.ts';

export interface ArchiveFile {
  readonly name: string;
  readonly path: string;
  readonly inode: string;
  /** Milliseconds; a rename and a compression both keep it. */
  readonly modifiedAt: number;
  /** Changes with every change of the contents, and with a rename. */
  readonly signature: string;
}

/**
 * A matcher of whole base names; RE2, and no larger than the server takes, so that no pattern can hang the agent.
 * @throws Error for a pattern that is larger, or no RE2 syntax
 */
export function archivePattern(pattern: string): (name: string) => boolean {
  if (regexpProgramSteps(pattern) > LIMITS.regexpProgramSteps)
    throw new Error(
      `the expression for archives takes more than ${LIMITS.regexpProgramSteps} steps: ${pattern}`,
    );
  const compiled = RE2JS.compile(pattern);
  return (name) => compiled.matches(name);
}

/** Most decompressed bytes of one archive; a larger one is an error, not an endless read. */
const ARCHIVE_BYTES = 16 * 1024 ** 3;

/**
 * Hashes an archive's contents, decompressed, and its first `prefixLength` bytes.
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

/** The bytes as they are, when they cannot be decompressed. @throws Error of node:fs */
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
