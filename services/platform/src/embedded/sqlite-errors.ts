import { messageOf } from '@sentinel-node/contracts/thrown';

/** Result codes of SQLite (sqlite.org/rescode.html). */
const FULL = 13;
const CONSTRAINT = 19;
const IOERR_SHMSIZE = 4_874;
/** SQLITE_ERROR, of which only the message says more. */
const ERROR = 1;
const TOO_MANY_VALUES = 'too many SQL variables';
/** SQLITE_CORRUPT, SQLITE_NOTADB. */
const DAMAGED = new Set([11, 26]);
/** SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN. */
const NOT_OPENED = new Set([3, 8, 14]);
const IOERR = 10;

export interface ErrorReply {
  /**
   * `full` and `conflict` are expected outcomes; `port` carries a code of the port; `fatal` is an error of SQLite,
   * `failed` of this code.
   */
  readonly kind: 'full' | 'conflict' | 'port' | 'fatal' | 'failed';
  readonly code: string;
  readonly message: string;
}

function rawCode(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('rawCode' in error)) return 0;
  return typeof error.rawCode === 'number' ? error.rawCode : 0;
}

/**
 * Returns whether the disk, or the file's limit, is full. On a full disk the shared-memory index cannot grow either.
 */
export function isFull(error: unknown): boolean {
  const raw = rawCode(error);
  return raw === FULL || raw === IOERR_SHMSIZE;
}

export function isConstraint(error: unknown): boolean {
  return (rawCode(error) & 0xff) === CONSTRAINT;
}

/** Returns whether a statement has more values than SQLite takes (32,766), which says nothing about the file. */
export function isTooManyValues(error: unknown): boolean {
  return rawCode(error) === ERROR && messageOf(error).includes(TOO_MANY_VALUES);
}

/** Returns what an error of SQLite means for whoever keeps the file, and what to do. */
export function sqliteMessage(file: string, error: unknown): string {
  const code = rawCode(error) & 0xff;
  const cause = messageOf(error);
  if (isFull(error))
    return `${file} cannot grow (${cause}): make room on its disk, or raise SENTINEL_LOG_MAX_MIB where that is set`;
  if (DAMAGED.has(code)) return `${file} is damaged (${cause}): restore a backup`;
  if (NOT_OPENED.has(code)) return `${file} cannot be opened (${cause}): look at its owner and mode`;
  return code === IOERR
    ? `${file} cannot be read or written (${cause}): look at the disk`
    : `${file}: ${cause}`;
}

export function isSqliteError(error: unknown): boolean {
  return rawCode(error) !== 0;
}
