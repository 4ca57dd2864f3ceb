import { useEffect, useRef } from 'react';
import { useHistoryState } from 'wouter/use-browser-location';
import { isRecord } from '../narrow.ts';

/**
 * Passes the state of a navigation to its page once: a reload or a return does not repeat it. Also works for a page that
 * is already open.
 */
export function useNavigationState<T>(take: (state: T) => void): void {
  const state = useHistoryState<T | null>();
  const latest = useRef(take);
  useEffect(() => {
    latest.current = take;
  });
  useEffect(() => {
    if (state === null || isOpened(state)) return;
    history.replaceState(null, '');
    latest.current(state);
  }, [state]);
}

/** Returns whether a history state marks an opened panel (`url.ts`); the mark must stay, so that closing goes back. */
const isOpened = (state: unknown): boolean => isRecord(state) && 'opened' in state;
