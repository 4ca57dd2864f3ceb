import { ERRORS, isErrorCode } from '@sentinel-node/contracts';
import { ApiError, type CallCode } from './api/errors.ts';

const UNKNOWN = 'Something went wrong on the server.';

const ownTexts: Partial<Record<CallCode, string>> = {
  NETWORK: 'The server cannot be reached. Check your connection.',
  UNEXPECTED_ANSWER: 'The server gave an answer that this console does not understand.',
  UNKNOWN,
  ALERT_NOT_ACTIVE: 'Somebody else has handled this alert meanwhile.',
  ALERT_CHANGED: 'The alert occurred again since you opened it. Look at it once more before you handle it.',
};

/** Returns one sentence for the person, without a stack, path or code. */
export function messageOf(error: unknown): string {
  if (!(error instanceof ApiError)) return 'Something went wrong in the console.';
  const own = ownTexts[error.code];
  if (own !== undefined) return own;
  return error.problem?.detail ?? (isErrorCode(error.code) ? ERRORS[error.code].title : UNKNOWN);
}
