import { useEffect, useRef } from 'react';

/** Gives the state that a navigation carried to its page, once: a reload or a return does not repeat it. */
export function useNavigationState<T>(take: (state: T) => void): void {
  const latest = useRef(take);
  useEffect(() => {
    latest.current = take;
  });
  useEffect(() => {
    const state = history.state as T | null;
    if (state === null) return;
    history.replaceState(null, '');
    latest.current(state);
  }, []);
}
