/** Result codes of SQLite (sqlite.org/rescode.html). */
const FULL = 13;
const CONSTRAINT = 19;
const IOERR_SHMSIZE = 4_874;

export interface ErrorReply {
  /** `full` and `conflict` are outcomes; `port` carries a code of the port; `fatal` is SQLite's, `failed` our own. */
  readonly kind: 'full' | 'conflict' | 'port' | 'fatal' | 'failed';
  readonly code: string;
  readonly message: string;
}

function rawCode(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('rawCode' in error)) return 0;
  return typeof error.rawCode === 'number' ? error.rawCode : 0;
}

/** The disk, or the limit of the file, is full. The shared-memory index cannot grow on a full disk either. */
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
