import { atom } from 'jotai';
import { useEffect, useRef } from 'react';
import { ApiError } from '../api/errors.ts';
import { retryDelay } from '../api/stream.ts';
import { announcements } from './announced.ts';

const SECOND_MS = 1_000;
/** The first wait is that of a stream's third try: 1 to 2 s. */
const FIRST_ATTEMPT = 2;

/** Time of the first failed read of each shown resource. */
const unreadTimes = announcements<number>();

/** Since when, in ms since 1970, something that the page shows could not be read again; null without anything. */
export const unreadAtom = atom((get) => {
  const times = get(unreadTimes.atom);
  return times.length === 0 ? null : Math.min(...times);
});

/** Refusals that another try can get past: the call came too slowly, or too many came. */
const PASSING_REFUSALS: readonly number[] = [408, 429];

/** Returns whether another try can succeed: not after a refusal, of which the page itself says what it means. */
export const isPassing = (error: unknown): boolean =>
  error !== null &&
  (!(error instanceof ApiError) ||
    error.status < 400 ||
    error.status >= 500 ||
    PASSING_REFUSALS.includes(error.status));

/**
 * While what is shown could not be read again: has the page say so, and reads again, each time later and never before the
 * server wants it.
 * @param error the last read's failure, another object each time; null while what is shown is current
 */
export function useUnread(error: unknown, reload: () => void): void {
  const isUnread = isPassing(error);
  const attempts = useRef(0);
  useEffect(() => (isUnread ? unreadTimes.announce(Date.now()) : undefined), [isUnread]);
  useEffect(() => {
    if (!isPassing(error)) {
      attempts.current = 0;
      return undefined;
    }
    const asked = error instanceof ApiError ? error.retryAfterSeconds * SECOND_MS : 0;
    const timer = setTimeout(reload, asked + retryDelay(FIRST_ATTEMPT + attempts.current, Math.random()));
    attempts.current += 1;
    return () => clearTimeout(timer);
  }, [error, reload]);
}
