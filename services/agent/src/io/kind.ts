import { constants, lstatSync, type Stats } from 'node:fs';
import { lstat, open, readlink, stat, type FileHandle } from 'node:fs/promises';

/** There is something at the path that is no regular file. */
export class NotRegularError extends Error {
  readonly code = 'NOT_REGULAR';
  readonly what: string;
  /** @param found its stats, or what it is */
  constructor(path: string, found: Stats | string) {
    const what = typeof found === 'string' ? found : kindOf(found);
    super(`${path} is a ${what}`);
    this.what = what;
  }
}

function kindOf(about: Stats): string {
  if (about.isFIFO()) return 'FIFO';
  if (about.isDirectory()) return 'folder';
  if (about.isSocket()) return 'socket';
  if (about.isCharacterDevice() || about.isBlockDevice()) return 'device';
  return 'no regular file';
}

/** Longest target of a link that is told, in characters. */
const TARGET_CHARACTERS = 200;

/** What stands at a path. */
export interface Standing {
  /** Of the regular file, links followed. */
  readonly about: Stats;
  /** In words. */
  readonly what: string;
  /** Of a link. */
  readonly target?: Buffer;
}

/** What stands at the path, links followed; `isLocal`: its file system answers at once. @throws NotRegularError; Error of node:fs */
export async function lookAt(path: string, isLocal = false): Promise<Standing> {
  const own = isLocal ? lstatSync(path) : await lstat(path);
  const about = own.isSymbolicLink() ? await stat(path) : own;
  if (!about.isFile()) throw new NotRegularError(path, about);
  if (!own.isSymbolicLink()) return { about, what: 'file' };
  const target = await readlink(path, 'buffer');
  return { about, what: `link to ${target.toString().slice(0, TARGET_CHARACTERS)}`, target };
}

/** Opens a regular file to read, and nothing else: a FIFO would block, a device could act. @throws NotRegularError */
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
