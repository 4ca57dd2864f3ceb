import { useEffect, useRef } from 'react';
import { useHistoryState } from 'wouter/use-browser-location';
import { isRecord } from '../narrow.ts';

/**
 * Gives the state that a navigation carried to its page, once: a reload or a return does not repeat it. A page that is
 * open already is told too.
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

/** The mark of a step that opened a panel (`url.ts`): it stays, so that closing goes back. */
const isOpened = (state: unknown): boolean => isRecord(state) && 'opened' in state;
