import { parentPort } from 'node:worker_threads';
import { messageOf } from '@sentinel-node/contracts/thrown';
import { PortError } from '../ports/errors.ts';
import { Sqlite, type SqliteOptions } from './sqlite.ts';
import { isConstraint, isFull, isSqliteError, isTooManyValues, sqliteMessage } from './sqlite-errors.ts';
import type { ErrorReply } from './sqlite-errors.ts';

export interface CallMessage<Request> {
  readonly call: number;
  readonly request: Request;
}

/** Gives a thread its next file. */
export interface StartMessage<Options> {
  readonly start: Options;
}

export type ReplyMessage<Reply> =
  | { readonly call: number; readonly value: Reply }
  | { readonly call: number; readonly error: ErrorReply };

export interface Answer<Reply> {
  readonly value: Reply;
  /** Buffers that are transferred instead of copied. */
  readonly transfer?: readonly ArrayBuffer[];
}

/** @param file of the thread, for errors of SQLite */
export function errorReply(error: unknown, file = 'the database'): ErrorReply {
  const message = messageOf(error);
  if (error instanceof PortError) return { kind: 'port', code: error.code, message };
  if (isFull(error)) return { kind: 'full', code: 'NOT_DURABLE', message: sqliteMessage(file, error) };
  if (isConstraint(error)) return { kind: 'conflict', code: 'CONFLICT', message };
  if (isTooManyValues(error)) return { kind: 'failed', code: 'FAILED', message };
  if (isSqliteError(error)) return { kind: 'fatal', code: 'FATAL', message: sqliteMessage(file, error) };
  return { kind: 'failed', code: 'FAILED', message };
}

/** Opens the file of a worker thread. @throws Error with a message for people, which reaches the thread that started it */
export function openFile(file: string, options: SqliteOptions): Sqlite {
  try {
    return new Sqlite(file, options);
  } catch (error) {
    throw isSqliteError(error) ? new Error(sqliteMessage(file, error)) : error;
  }
}

/** Answers the calls of one file. */
export type Handler<Request, Reply> = (request: Request) => Answer<Reply>;

/**
 * Runs the worker's side: opens a file and answers each call in order. After the answer to `end` it waits for the next file.
 * @param open called for each file. Its error ends the thread, and reaches the thread that started it
 */
export function serve<Options extends { readonly file: string }, Request, Reply>(
  open: (options: Options) => Handler<Request, Reply>,
): void {
  const port = parentPort;
  if (port === null) throw new Error('this module is the body of a worker thread');
  let file: string;
  let handle: Handler<Request, Reply>;
  port.on('message', (message: StartMessage<Options> | CallMessage<Request>) => {
    if ('start' in message) {
      file = message.start.file;
      handle = open(message.start);
      return;
    }
    let reply: ReplyMessage<Reply>;
    let transfer: readonly ArrayBuffer[] = [];
    try {
      const answer = handle(message.request);
      reply = { call: message.call, value: answer.value };
      transfer = answer.transfer ?? [];
    } catch (error) {
      reply = { call: message.call, error: errorReply(error, file) };
    }
    port.postMessage(reply, [...transfer]);
  });
}
