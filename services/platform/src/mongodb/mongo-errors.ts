import { codeOf } from '@sentinel-node/contracts/thrown';
import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from 'mongodb';
import { ConflictError, NotDurableError, OverloadedError, PortError } from '../ports/errors.ts';
import { ERROR_LABELS, kindOfCode } from './error-codes.ts';
import type { ErrorKind } from './error-codes.ts';

/** The collection has an index over these fields that was declared in another way. Nothing is changed. */
export class IndexChangedError extends PortError {
  constructor(collection: string, index: string, found: string, declared: string) {
    super(
      'INDEX_CHANGED',
      `${collection}: the index ${index} is ${found}, declared is ${declared}: drop it, then start again`,
    );
  }
}

/** The server knows no such user name and password, or not in this database. */
export class StoreSignInRefusedError extends PortError {
  constructor(authSource: string) {
    super(
      'STORE_SIGN_IN_REFUSED',
      `MongoDB refuses the user name or the password; it looked for the user in the database "${authSource}": ` +
        'if the user was made in another one, add authSource=<its name> (often admin) to the URL',
    );
  }
}

/** The collection is sharded by another key than writes rely on. Nothing is changed. */
export class ShardKeyError extends PortError {
  constructor(collection: string, found: string, wanted: string) {
    super(
      'SHARD_KEY',
      `${collection}: sharded by ${found}, needed is ${wanted}: back up, drop the collection, ` +
        'shard the empty database with "sentinel collections --shard", and restore',
    );
  }
}

/** The connection string leads to no router of a sharded cluster. */
export class NotShardedError extends PortError {
  constructor() {
    super('NOT_SHARDED', 'the URL leads to no router (mongos): there is nothing to shard');
  }
}

/** The collection is not sharded and holds documents already. Nothing is changed. */
export class CollectionNotEmptyError extends PortError {
  constructor(collection: string) {
    super(
      'COLLECTION_NOT_EMPTY',
      `${collection}: holds documents already; shard it before the first start, or back up, shard an empty database, and restore`,
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
export const AUTHENTICATION_FAILED = 18;
const PLAN_KILLED = 175;
export const NAMESPACE_EXISTS = 48;
export const NAMESPACE_NOT_FOUND = 26;
export const INDEX_CONFLICTS: readonly number[] = [85, 86];

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

const numberOf = (error: MongoError): number | undefined =>
  typeof error.code === 'number' ? error.code : undefined;

/** A bulk write puts its own class around whatever ended it. */
function unwrapped(error: unknown): unknown {
  if (!(error instanceof MongoBulkWriteError)) return error;
  const cause: unknown = error.errorResponse;
  return cause instanceof Error ? cause : error;
}

function isOfSocket(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && SOCKET_CODES.has(codeOf(error));
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
  return error instanceof MongoError && numberOf(error) === PLAN_KILLED;
}

/** What the labels, the class and the code of an error say, in this order. */
export function errorKind(error: MongoError): ErrorKind {
  const labelled = Object.entries(ERROR_LABELS).find(([label]) => error.hasErrorLabel(label));
  if (labelled !== undefined) return labelled[1];
  if (error.name === 'MongoWaitQueueTimeoutError') return 'overloaded';
  const isOfTopology =
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    error instanceof MongoWriteConcernError ||
    (error instanceof MongoBulkWriteError && error.result.getWriteConcernError() !== undefined);
  return isOfTopology ? 'passing' : kindOfCode(numberOf(error) ?? 0);
}

/**
 * What the port says to a failure of the driver. A state that passes is NotDurableError: of a write it is not known
 * whether it took place, of a read there is no answer; either may be asked again. Anything else is a surprise.
 */
export function portError(thrown: unknown, collection: string): unknown {
  const error = unwrapped(thrown);
  if (isOfSocket(error)) return noAnswer(error, collection);
  if (!(error instanceof MongoError)) return error;
  switch (errorKind(error)) {
    case 'conflict':
      return new ConflictError(`${collection}: the id or a unique index already holds it`);
    case 'overloaded':
      /** @boundedBy the server whose refusal it translates */
      return new OverloadedError(`${collection}: the document store has too much to do`);
    case 'passing':
      return noAnswer(error, collection);
    case 'permanent':
      return error;
  }
}

function noAnswer(error: Error, collection: string): NotDurableError {
  return new NotDurableError(`${collection}: no answer of the document store: ${error.message}`, {
    cause: error,
  });
}
