import { useEffect } from 'react';
import { ApiError } from '../api/errors.ts';
import { messageOf } from '../errors.ts';
import { isPassing } from './unread.ts';
import type { Resource } from './use-resource.ts';

/** Time between two tries, in ms, when the server names none. */
const TRY_AGAIN_MS = 3_000;

/** Why devices are missing among choices at first. */
export const DEVICES_READING = 'The devices are being read.';

/**
 * Returns why what a form offers, or what stands beside a list, is not there after a failed first read, in sentences; undefined
 * otherwise. Tries again meanwhile, unless the server refuses it: the same refusal would come each time.
 * @param what beginning of the sentence: `The devices`
 */
export function useMissing(
  { data, error, reload }: Pick<Resource<unknown>, 'data' | 'error' | 'reload'>,
  what: string,
): string | undefined {
  const isMissing = data === undefined && error !== null;
  const isTriedAgain = isMissing && isPassing(error);
  useEffect(() => {
    if (!isTriedAgain) return undefined;
    const asked = error instanceof ApiError ? 1_000 * error.retryAfterSeconds : 0;
    const timer = setTimeout(reload, Math.max(TRY_AGAIN_MS, asked));
    return () => clearTimeout(timer);
  }, [isTriedAgain, error, reload]);
  if (!isMissing) return undefined;
  return `${what} could not be loaded. ${isTriedAgain ? 'Trying again.' : whole(messageOf(error))}`;
}

/** Returns the text as a whole sentence: titles of errors end without a full stop. */
const whole = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
