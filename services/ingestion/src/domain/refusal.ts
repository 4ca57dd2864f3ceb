import type { ErrorCode } from '@sentinel-node/contracts';
import type { FieldError } from '@sentinel-node/platform';

export interface RefusalDetails {
  /** One sentence for a person. */
  readonly detail?: string | undefined;
  readonly errors?: readonly FieldError[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** Headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The reason why a call, a body or a line is refused. A value: ingestion never throws expected outcomes. */
export class Refusal {
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly errors: readonly FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, { detail, errors, retryAfterSeconds, headers = {} }: RefusalDetails = {}) {
    this.code = code;
    this.detail = detail;
    this.errors = errors;
    this.retryAfterSeconds = retryAfterSeconds;
    this.headers = headers;
  }
}
