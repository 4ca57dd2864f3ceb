import { ERRORS, type ErrorCode } from '@sentinel-node/contracts';

export interface FieldError {
  /** JSON pointer (RFC 6901) into the part of the request that `detail` names; empty for the whole part. */
  readonly path: string;
  readonly message: string;
}

const TRANSIENT: ReadonlySet<number> = new Set([429, 503]);
const TRANSIENT_RETRY_SECONDS = 1;

export interface ApiErrorParts {
  /** One sentence for a person, without internal names. */
  readonly detail?: string | undefined;
  readonly errors?: readonly FieldError[] | undefined;
  /** Default: 1 with status 429 and 503, else none. */
  readonly retryAfterSeconds?: number | undefined;
  /** Headers of the answer in addition to those of every problem; names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** An answer other than success, by its code in the catalogue of contracts. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: string | undefined;
  readonly errors: readonly FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, { detail, errors, retryAfterSeconds, headers = {} }: ApiErrorParts = {}) {
    super(detail ?? ERRORS[code].title);
    this.name = 'ApiError';
    this.code = code;
    this.status = ERRORS[code].status;
    this.detail = detail;
    this.errors = errors;
    this.headers = headers;
    this.retryAfterSeconds =
      retryAfterSeconds ?? (TRANSIENT.has(this.status) ? TRANSIENT_RETRY_SECONDS : undefined);
  }
}
