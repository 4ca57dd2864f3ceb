/** Result codes of SQLite (sqlite.org/rescode.html). */
const FULL = 13;
const CONSTRAINT = 19;
const IOERR_SHMSIZE = 4_874;

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

export function isSqliteError(error: unknown): boolean {
  return rawCode(error) !== 0;
}
