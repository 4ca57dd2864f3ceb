import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from 'mongodb';
import { ConflictError, NotDurableError, OverloadedError, PortError } from '../ports/errors.ts';

/** The collection has an index over these fields that was declared in another way. Nothing is changed. */
export class IndexChangedError extends PortError {
  constructor(collection: string, index: string, found: string, declared: string) {
    super(
      'INDEX_CHANGED',
      `${collection}: the index ${index} is ${found}, declared is ${declared}: drop it, then start again`,
    );
  }
}

/** The document is larger than MongoDB takes. */
export class DocumentTooLargeError extends PortError {
  constructor(collection: string, bytes: number, limit: number) {
    super('DOCUMENT_TOO_LARGE', `${collection}: a document of ${bytes} bytes; at most ${limit}`);
  }
}

export const DUPLICATE_KEY = 11_000;
const PLAN_KILLED = 175;
export const NAMESPACE_EXISTS = 48;
export const NAMESPACE_NOT_FOUND = 26;
export const INDEX_CONFLICTS: readonly number[] = [85, 86];

/**
 * Codes (src/mongo/base/error_codes.yml) of states that pass: elections, restarts, time-outs, no majority, a full disk,
 * a cursor that ended with its server, a collection that was replaced meanwhile.
 */
const PASSING_CODES: ReadonlySet<number> = new Set([
  6, 7, 24, 43, 50, 64, 89, 91, 100, 112, 133, 134, 175, 189, 202, 237, 262, 384, 9_001, 10_107, 11_600,
  11_602, 13_388, 13_435, 13_436, 14_031,
]);
const PASSING_LABELS = ['RetryableWriteError', 'TransientTransactionError', 'RetryableError'];
/**
 * What node says to a write on a connection that the server has just ended; the driver lets it through as it is
 * (`Connection.writeCommand` in its `cmap/connection.js`).
 */
const SOCKET_CODES: ReadonlySet<string | undefined> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);
const OVERLOADED_LABEL = 'SystemOverloadedError';

const codeOf = (error: MongoError): number | undefined =>
  typeof error.code === 'number' ? error.code : undefined;

export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && codeOf(error) === DUPLICATE_KEY;
}

/** A bulk write puts its own class around whatever ended it. */
function unwrapped(error: unknown): unknown {
  if (!(error instanceof MongoBulkWriteError)) return error;
  const cause: unknown = error.errorResponse;
  return cause instanceof Error ? cause : error;
}

function isOfSocket(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && SOCKET_CODES.has((error as NodeJS.ErrnoException).code);
}

/**
 * The connection ended before the answer came. The driver repeats a call itself, but not one whose connection was
 * given up because that of another call had ended first (`connectionIsStale` in its `sdam/server.js`).
 */
export function isLostConnection(thrown: unknown): boolean {
  const error = unwrapped(thrown);
  if (error instanceof MongoNetworkError) return !(error instanceof MongoNetworkTimeoutError);
  return isOfSocket(error);
}

/** The collection was replaced while the call was under way (QueryPlanKilled); the next one meets the new one. */
export function isReplaced(thrown: unknown): boolean {
  const error = unwrapped(thrown);
  return error instanceof MongoError && codeOf(error) === PLAN_KILLED;
}

function isPassing(error: MongoError): boolean {
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    error instanceof MongoWriteConcernError ||
    (error instanceof MongoBulkWriteError && error.result.getWriteConcernError() !== undefined) ||
    PASSING_LABELS.some((label) => error.hasErrorLabel(label)) ||
    PASSING_CODES.has(codeOf(error) ?? 0)
  );
}

/**
 * What the port says to a failure of the driver. A state that passes is NotDurableError: of a write it is not known
 * whether it took place, of a read there is no answer; either may be asked again. Anything else is a surprise.
 */
export function portError(thrown: unknown, collection: string): unknown {
  const error = unwrapped(thrown);
  if (isOfSocket(error)) return noAnswer(error, collection);
  if (!(error instanceof MongoError)) return error;
  if (isDuplicateKey(error))
    return new ConflictError(`${collection}: the id or a unique index already holds it`);
  if (error.name === 'MongoWaitQueueTimeoutError' || error.hasErrorLabel(OVERLOADED_LABEL))
    return new OverloadedError(`${collection}: the document store has too much to do`);
  if (!isPassing(error)) return error;
  return noAnswer(error, collection);
}

function noAnswer(error: Error, collection: string): NotDurableError {
  return new NotDurableError(`${collection}: no answer of the document store: ${error.message}`, {
    cause: error,
  });
}
