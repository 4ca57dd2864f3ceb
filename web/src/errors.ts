import { ERRORS, isErrorCode, type Problem } from '@sentinel-node/contracts';
import { ApiError, mayBeDone, type CallCode } from './api/errors.ts';

const UNKNOWN = 'Something went wrong on the server.';

const ownTexts: Partial<Record<CallCode, string>> = {
  NETWORK: 'The server cannot be reached. Check your connection.',
  UNEXPECTED_ANSWER: 'The server gave an answer that this console does not understand.',
  UNKNOWN,
  // Whoever handled it, perhaps this person by a try whose answer was lost.
  ALERT_NOT_ACTIVE: 'The alert is handled already. It shows by whom.',
  ALERT_CHANGED: 'The alert occurred again since you opened it. Look at it once more before you handle it.',
};

/** Returns what a person reads, without a stack, path or code. A refusal of what was sent says where and why. */
export function messageOf(error: unknown): string {
  if (!(error instanceof ApiError)) return 'Something went wrong in the console.';
  const own = ownTexts[error.code];
  if (own !== undefined) return own;
  const refused = error.code === 'VALIDATION_FAILED' ? error.problem?.errors : undefined;
  if (refused !== undefined && refused.length > 0) return refusalText(refused);
  return error.problem?.detail ?? (isErrorCode(error.code) ? ERRORS[error.code].title : UNKNOWN);
}

/** Titles of a failed change. */
export interface FailureTitles {
  refused: string;
  /** When it may have been made all the same. */
  unknown: string;
}

/** Returns what a person reads of a failed change. */
export const failureNotice = (error: unknown, { refused, unknown }: FailureTitles) =>
  ({ tone: 'danger', title: mayBeDone(error) ? unknown : refused, text: messageOf(error) }) as const;

/** The data that a form passes to the page that tells why its change failed. */
export interface FailedChange {
  error?: boolean;
  reason?: string | undefined;
}

/** The sentence of the specification comes first, also where nobody knows whether it is true. */
const DOUBT = 'It may have been done all the same: look before you try again.';

export function failedChange(error: unknown): FailedChange {
  const why = reasonOf(error);
  const doubt = why === undefined ? DOUBT : `${why} ${DOUBT}`;
  return { error: true, reason: mayBeDone(error) ? doubt : why };
}

/** Returns why trying again may not help; undefined when the server says no more than that it failed. */
function reasonOf(error: unknown): string | undefined {
  const isBare = !(error instanceof ApiError) || error.code === 'INTERNAL' || error.code === 'UNKNOWN';
  return isBare ? undefined : messageOf(error);
}

type FieldProblems = NonNullable<Problem['errors']>;

/** Returns the first problem with its field, and how many others there are: the person mends one at a time. */
function refusalText([first, ...others]: FieldProblems): string {
  const { title } = ERRORS.VALIDATION_FAILED;
  const reason = [fieldWords(first?.path ?? ''), first?.message ?? ''].filter(Boolean).join(': ');
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return `${title}. ${reason.charAt(0).toUpperCase()}${reason.slice(1)}${more}.`;
}

/** Returns `Quiet hours to` for `/quietHours/to`, and `Files 1 path` for `/files/0/path`: people count from one. */
function fieldWords(pointer: string): string {
  const names = pointer.split('/').slice(1);
  return names.map((name) => (/^\d+$/.test(name) ? String(Number(name) + 1) : inWords(name))).join(' ');
}

const inWords = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
