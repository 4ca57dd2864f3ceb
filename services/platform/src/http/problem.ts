import { codeOf } from '@sentinel-node/contracts/thrown';
import { ERRORS, type Problem } from '@sentinel-node/contracts';
import {
  ConflictError,
  LogUnavailableError,
  NotDurableError,
  OverloadedError,
  PortError,
} from '../ports/errors.ts';
import { ApiError } from './api-error.ts';

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** Seconds after which a client may try again when a store could not write. */
const NOT_DURABLE_RETRY_SECONDS = 5;

/** Returns the problem details (RFC 9457) of an error, with the request's id so that a person can quote it. */
export function problemOf(error: ApiError, requestId: string): Problem {
  const { status, title } = ERRORS[error.code];
  return {
    type: 'about:blank',
    title,
    status,
    ...(error.detail === undefined ? {} : { detail: error.detail }),
    code: error.code,
    requestId,
    ...(error.errors === undefined ? {} : { errors: error.errors.map((one) => ({ ...one })) }),
  };
}

/**
 * Returns the part of any thrown value that a client may see: the error itself if it is meant for clients, else only a
 * code.
 */
export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof PortError) return ofPort(error);
  return ofFramework(error) ?? new ApiError('INTERNAL');
}

/**
 * Translates errors of ports.
 * @boundedBy nothing: it translates the refusal of a pool
 */
function ofPort(error: PortError): ApiError {
  if (error instanceof ConflictError) return new ApiError('CONFLICT');
  if (error instanceof OverloadedError) return new ApiError('OVERLOADED');
  if (error instanceof LogUnavailableError) return new ApiError('UNAVAILABLE');
  if (error instanceof NotDurableError)
    return new ApiError('NOT_DURABLE', { retryAfterSeconds: NOT_DURABLE_RETRY_SECONDS });
  return new ApiError('INTERNAL');
}

/**
 * Translates Fastify's own errors by their codes; the `statusCode` of any other error may belong to another request.
 */
function ofFramework(error: unknown): ApiError | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = codeOf(error);
  const statusCode = 'statusCode' in error ? error.statusCode : undefined;
  // Fastify's default JSON parser throws a SyntaxError without a code when a member is named __proto__.
  if (error instanceof SyntaxError && statusCode === 400) return unreadable('the body is not JSON');
  if (code === undefined || !code.startsWith('FST_')) return undefined;
  switch (code) {
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return unreadable('the body is not JSON');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return unreadable('the body has another length than its header says');
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('PAYLOAD_TOO_LARGE');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError('UNSUPPORTED_MEDIA_TYPE');
    case 'FST_ERR_HANDLER_TIMEOUT':
      return new ApiError('UNAVAILABLE');
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
    case 'FST_ERR_NOT_FOUND':
      return new ApiError('NOT_FOUND');
    default:
      return undefined;
  }
}

function unreadable(message: string): ApiError {
  return new ApiError('VALIDATION_FAILED', { detail: message, errors: [{ path: '', message }] });
}
