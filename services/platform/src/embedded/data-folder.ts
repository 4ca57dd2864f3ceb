import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { codeOf } from '@sentinel-node/contracts/thrown';
import Database from 'libsql';
import { DataFolderInUseError, PortError } from '../ports/errors.ts';

/** The folder cannot be created or written. The message is one line with the folder and the cause. */
export class DataFolderUnusableError extends PortError {
  constructor(folder: string, cause: unknown) {
    const code = codeOf(cause) ?? 'unknown cause';
    super('DATA_FOLDER_UNUSABLE', `cannot use the data folder ${folder}: ${WORDS[code] ?? code}`, { cause });
  }
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on the device',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'it is a file, not a folder',
  ENOENT: 'a part of the path does not exist',
};

export interface DataFolder {
  /** Absolute path. */
  readonly path: string;
  file(name: string): string;
  /** Releases the lock, so that another process can open the folder. Close the open files inside first. */
  release(): void;
}

const LOCK_FILE = 'lock.db';
const PROBE_FILE = '.writable';

/**
 * Creates the folder if it is missing and locks it for this process alone, until `release` or the end of the process.
 * The lock is the operating system's (an exclusive SQLite transaction), so it cannot outlive the process.
 * @throws DataFolderUnusableError
 * @throws DataFolderInUseError when another process, or another part of this process, holds the lock
 */
export function openDataFolder(dir: string): DataFolder {
  const path = resolve(dir);
  try {
    makeFolder(path);
    writeFileSync(join(path, PROBE_FILE), '');
    rmSync(join(path, PROBE_FILE), { force: true });
  } catch (error) {
    throw new DataFolderUnusableError(path, error);
  }
  const lock = hold(path);
  return {
    path,
    file: (name) => join(path, name),
    release: () => {
      if (!lock.inTransaction) return;
      lock.exec('ROLLBACK');
      lock.close();
    },
  };
}

/**
 * Creates each folder on the path in turn: `recursive: true` never returns where a folder cannot hold folders (/proc).
 */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    makeFolder(dirname(path));
    mkdirSync(path, { mode: 0o700 });
  }
}

function hold(path: string): Database.Database {
  let lock: Database.Database | undefined;
  try {
    lock = new Database(join(path, LOCK_FILE));
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock?.close();
    if (codeOf(error) === 'SQLITE_BUSY') throw new DataFolderInUseError(path);
    throw new DataFolderUnusableError(path, error);
  }
}
