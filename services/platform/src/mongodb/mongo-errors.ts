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

/** The collection has an index over these fields with another declaration. Nothing is changed. */
export class IndexChangedError extends PortError {
  constructor(collection: string, index: string, found: string, declared: string) {
    super(
      'INDEX_CHANGED',
      `${collection}: the index ${index} is ${found}, declared is ${declared}: drop it, then start again`,
    );
  }
}

/** Somebody gave the collection what no version of this program gives one, and documents would be lost or refused by it. */
export class CollectionForeignError extends PortError {
  constructor(collection: string, what: string, remedy: string) {
    super(
      'COLLECTION_FOREIGN',
      `${collection}: ${what}, which this program gives no collection: documents would be refused, or be lost without a word. Stop all services, ${remedy}, then start again, and run sentinel audit`,
    );
  }
}

/** The server does not know the user name and password, or not in this database. */
export class StoreSignInRefusedError extends PortError {
  constructor(authSource: string) {
    super(
      'STORE_SIGN_IN_REFUSED',
      `MongoDB refuses the user name or the password; it looked for the user in the database "${authSource}": ` +
        'if the user was made in another one, add authSource=<its name> (often admin) to the URL',
    );
  }
}

/** The collection is sharded by another key than the one that writes need. Nothing is changed. */
export class ShardKeyError extends PortError {
  constructor(collection: string, found: string, wanted: string) {
    super(
      'SHARD_KEY',
      `${collection}: sharded by ${found}, needed is ${wanted}: back up, drop the collection, ` +
        'shard the empty database with "sentinel collections --shard", and restore',
    );
  }
}

/** The connection string does not lead to a router of a sharded cluster. */
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

export const DUPLICATE_KEY = 11_000;
const AUTHENTICATION_FAILED = 18;
const ATLAS_ERROR = 8_000;
const PLAN_KILLED = 175;
export const NAMESPACE_EXISTS = 48;
export const NAMESPACE_NOT_FOUND = 26;
export const INDEX_CONFLICTS: readonly number[] = [85, 86];

/**
 * Errors of node for a write on a connection that the server has just ended; the driver does not translate them
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

/** Returns the error inside a bulk write's own error. */
function unwrapped(error: unknown): unknown {
  if (!(error instanceof MongoBulkWriteError)) return error;
  const cause: unknown = error.errorResponse;
  return cause instanceof Error ? cause : error;
}

function isOfSocket(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && SOCKET_CODES.has(codeOf(error));
}

/**
 * Returns whether the connection ended before the answer came. The driver repeats such a call itself, unless the
 * call's connection was given up because another call's connection had ended first (`connectionIsStale` in its
 * `sdam/server.js`).
 */
export function isLostConnection(thrown: unknown): boolean {
  const error = unwrapped(thrown);
  if (error instanceof MongoNetworkError) return !(error instanceof MongoNetworkTimeoutError);
  return isOfSocket(error);
}

/**
 * Returns whether the collection was replaced during the call (QueryPlanKilled); the next call uses the new
 * collection.
 */
export function isCollectionReplaced(thrown: unknown): boolean {
  const error = unwrapped(thrown);
  return error instanceof MongoError && numberOf(error) === PLAN_KILLED;
}

/** Returns whether the server refuses the user; Atlas says it only in the text. */
export function isSignInRefused(error: unknown): boolean {
  if (!(error instanceof MongoError)) return false;
  const code = numberOf(error);
  return code === AUTHENTICATION_FAILED || (code === ATLAS_ERROR && /auth/i.test(error.message));
}

/** Classifies an error by its labels, its class and its code, in this order. */
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
 * Translates a failure of the driver. A passing state is NotDurableError: a write may or may not have happened, a
 * read has no answer; both may be repeated. Any other error is unexpected and returned unchanged.
 * @param isWrite whether the call writes. A refused write is never OverloadedError, which says that nothing was written: the
 * driver may have sent the write before, without an answer, and a call of several commands may have written a part.
 */
export function portError(thrown: unknown, collection: string, isWrite: boolean): unknown {
  const error = unwrapped(thrown);
  if (isOfSocket(error)) return noAnswer(error, collection);
  if (!(error instanceof MongoError)) return error;
  switch (errorKind(error)) {
    case 'conflict':
      return new ConflictError(`${collection}: the id or a unique index already holds it`);
    case 'overloaded':
      if (isWrite) return noAnswer(error, collection);
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

/** An id is no text: this program writes none of these, and a scan would not find what sorts with it. */
export class IdNotTextError extends PortError {
  constructor(collection: string, id: unknown) {
    super(
      'ID_NOT_TEXT',
      `the document ${JSON.stringify(id)} of the collection ${collection} has an id that is no text: somebody else wrote to the database. Find out who, and remove the document`,
    );
  }
}

/** @throws IdNotTextError */
export function assertTextIds(collection: string, documents: readonly { readonly id: unknown }[]): void {
  for (const { id } of documents) if (typeof id !== 'string') throw new IdNotTextError(collection, id);
}
