import { type ErrorCode, type Problem, isErrorCode } from '@sentinel-node/contracts';

/** Codes of a failed call: the server's and the console's own. */
export type CallCode = ErrorCode | 'NETWORK' | 'UNEXPECTED_ANSWER' | 'UNKNOWN';

/** A failed call. `status` is 0 without an answer. */
export class ApiError extends Error {
  readonly code: CallCode;
  readonly status: number;
  readonly problem: Problem | null;
  /** Wait that the server wants before another try, in seconds; 0 without one. */
  readonly retryAfterSeconds: number;

  constructor(
    code: CallCode,
    status: number,
    message: string,
    problem: Problem | null = null,
    retryAfterSeconds = 0,
  ) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.problem = problem;
  }
}

/** A call lacks a path parameter or its body, and was not sent. */
export class MissingParameterError extends Error {
  constructor(parameter: string, call: string) {
    super(`Required parameter ${parameter} was null or undefined when calling ${call}`);
    this.name = 'MissingParameterError';
  }
}

export function codeOf(problem: Problem): CallCode {
  return isErrorCode(problem.code) ? problem.code : 'UNKNOWN';
}

/** Returns whether a failed call may have been carried out: there was no answer, or none that says that it was not. */
export const mayBeDone = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.status === 0 ||
    error.code === 'UNEXPECTED_ANSWER' ||
    (error.status >= 500 && error.code !== 'OVERLOADED'));

export const isCode = (error: unknown, code: CallCode): boolean =>
  error instanceof ApiError && error.code === code;
