import {
  LogUnavailableError,
  NotDurableError,
  OverloadedError,
  PortError,
  ShortReadError,
} from '../../ports/errors.ts';
import type { CarriedError } from './protocol.ts';

/** Error classes that callers tell apart. */
const CLASSES: ReadonlyMap<string, new (message: string) => PortError> = new Map([
  ['OVERLOADED', OverloadedError],
  ['NOT_DURABLE', NotDurableError],
  ['LOG_UNAVAILABLE', LogUnavailableError],
  ['SHORT_READ', ShortReadError],
]);

/** Returns an error that can cross threads. Its cause is left out, because the thread has logged it. */
export function serializeError(error: unknown): CarriedError {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof PortError) return { kind: 'port', code: error.code, message };
  return { kind: error instanceof RangeError ? 'range' : 'other', message };
}

export function deserializeError(error: CarriedError): Error {
  if (error.kind !== 'port') return new (error.kind === 'range' ? RangeError : Error)(error.message);
  const { code, message } = error;
  const known = CLASSES.get(code);
  return known === undefined ? new PortError(code, message) : new known(message);
}
