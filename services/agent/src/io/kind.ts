import { createHash } from 'node:crypto';
import { constants, lstatSync, type Stats } from 'node:fs';
import { lstat, open, readlink, stat, type FileHandle } from 'node:fs/promises';
import { codeOf } from '@sentinel-node/contracts/thrown';

/** The entry at the path is no regular file. */
export class NotRegularError extends Error {
  readonly code = 'NOT_REGULAR';
  readonly what: string;
  /** @param found the entry's stats, or its kind */
  constructor(path: string, found: Stats | string) {
    const what = typeof found === 'string' ? found : kindOf(found);
    super(`${path} is a ${what}`);
    this.what = what;
  }
}

/** The file's size does not say how much can be read, as in /proc and /sys: neither changes nor its end would show. */
export class NoSizeError extends Error {
  readonly code = 'NO_SIZE';
  constructor(path: string) {
    super(`the size of ${path} does not say how much it holds, as in /proc and /sys`);
  }
}

/**
 * Refuses a file that holds more or less than its size says while its stats stay the same.
 * @param read bytes read, one byte beyond an empty file included @throws NoSizeError
 */
export function checkSize(path: string, before: Stats, after: Stats, read: number): void {
  const isSame =
    after.size === before.size && after.mtimeMs === before.mtimeMs && after.ctimeMs === before.ctimeMs;
  if (isSame && read !== before.size) throw new NoSizeError(path);
}

function kindOf(about: Stats): string {
  if (about.isFIFO()) return 'FIFO';
  if (about.isDirectory()) return 'folder';
  if (about.isSocket()) return 'socket';
  if (about.isCharacterDevice() || about.isBlockDevice()) return 'device';
  return 'no regular file';
}

/** Longest link target in `what`, in characters; of a longer one the digest tells the rest apart. */
const TARGET_CHARACTERS = 200;
const DIGEST_CHARACTERS = 16;

/** Most looks at a link that another entry replaces meanwhile, before EINVAL is an error. */
const REPLACED_TRIES = 3;

/** Entry at a path. */
export interface Standing {
  /** Stats of the regular file, links followed. */
  readonly about: Stats;
  /** Kind in words: `file` or `link to …`. */
  readonly what: string;
  /** Target of a link. */
  readonly target?: Buffer;
}

/**
 * Returns the entry at the path, links followed. @param isLocal allows synchronous calls
 * @throws NotRegularError; Error of node:fs
 */
export async function lookAt(path: string, isLocal = false): Promise<Standing> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await standingAt(path, isLocal);
    } catch (error) {
      // `readlink` refuses an entry that is no longer a link.
      if (codeOf(error) !== 'EINVAL' || tries === REPLACED_TRIES) throw error;
    }
  }
}

/** Returns whether the entry at a path of a local folder is a link. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    // The look tells why the entry cannot be seen.
    return false;
  }
}

async function standingAt(path: string, isLocal: boolean): Promise<Standing> {
  const own = isLocal ? lstatSync(path) : await lstat(path);
  const about = own.isSymbolicLink() ? await stat(path) : own;
  if (!about.isFile()) throw new NotRegularError(path, about);
  if (!own.isSymbolicLink()) return { about, what: 'file' };
  const target = await readlink(path, 'buffer');
  return { about, what: `link to ${shortened(target)}`, target };
}

function shortened(target: Buffer): string {
  const text = target.toString();
  if (text.length <= TARGET_CHARACTERS) return text;
  const digest = createHash('sha256').update(target).digest('hex').slice(0, DIGEST_CHARACTERS);
  return `${text.slice(0, TARGET_CHARACTERS)}… (SHA-256 ${digest})`;
}

/**
 * Opens a regular file for reading; refuses others, because a FIFO would block and a device could act.
 * @throws NotRegularError
 */
export async function openRegular(path: string): Promise<{ handle: FileHandle; about: Stats }> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const about = await handle.stat();
    if (!about.isFile()) throw new NotRegularError(path, about);
    return { handle, about };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Returns the stats of a regular file by opening it. A network file system may give stats from its cache, for as long as its mount
 * options say and while the other machine is gone; opening asks that machine.
 * @throws NotRegularError; Error of node:fs
 */
export async function openedStats(path: string): Promise<Stats> {
  const { handle, about } = await openRegular(path);
  await handle.close();
  return about;
}

/** Reads the last byte of a regular file. @returns its size @throws NotRegularError; NoSizeError; Error of node:fs */
export async function probeRegular(path: string): Promise<number> {
  const { handle, about } = await openRegular(path);
  try {
    const from = Math.max(about.size - 1, 0);
    const { bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, from);
    checkSize(path, about, await handle.stat(), from + bytesRead);
    return about.size;
  } finally {
    await handle.close();
  }
}
