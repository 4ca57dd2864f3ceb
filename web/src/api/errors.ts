import { type ErrorCode, type Problem, isErrorCode } from '@sentinel-node/contracts';

/** What can go wrong with a call, beyond the server's own codes. */
export type CallCode = ErrorCode | 'NETWORK' | 'UNEXPECTED_ANSWER' | 'UNKNOWN';

/** A call that did not give what it promises. `status` is 0 when there was no answer. */
export class ApiError extends Error {
  readonly code: CallCode;
  readonly status: number;
  readonly problem: Problem | null;

  constructor(code: CallCode, status: number, message: string, problem: Problem | null = null) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.problem = problem;
  }
}

/** A call without one of its path parameters or its body; nothing was sent. */
export class MissingParameterError extends Error {
  constructor(parameter: string, call: string) {
    super(`Required parameter ${parameter} was null or undefined when calling ${call}`);
    this.name = 'MissingParameterError';
  }
}

export function codeOf(problem: Problem): CallCode {
  return isErrorCode(problem.code) ? problem.code : 'UNKNOWN';
}

export const isCode = (error: unknown, code: CallCode): boolean =>
  error instanceof ApiError && error.code === code;
