import { useAtomValue } from 'jotai';
import { useEffect, useState } from 'react';
import { onReturn } from '../api/on-return.ts';
import { clockOffsetAtom, serverTimeOf } from './clock.ts';
import { staleSinceAtom } from './live.ts';

const TICK_MS = 30_000;

/** Listeners of the one timer for all relative times. @boundedBy the components that are mounted */
const listeners = new Set<(now: number) => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let stop: (() => void) | undefined;

const tick = (): void => {
  for (const each of listeners) each(Date.now());
};

function subscribe(listener: (now: number) => void): () => void {
  if (listeners.size === 0) {
    timer = setInterval(tick, TICK_MS);
    // Timers stand still while the machine sleeps.
    stop = onReturn(tick);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    stop?.();
  };
}

/**
 * Returns the server's time in ms, updated every half minute, which is enough for '5 minutes ago'.
 * @param isShown false for a component that shows nothing that goes on with the time now: it is not updated
 */
export function useNow(isShown = true): number {
  const [now, setNow] = useState(() => Date.now());
  const offset = useAtomValue(clockOffsetAtom);
  useEffect(() => (isShown ? subscribe(setNow) : undefined), [isShown]);
  return now + offset;
}

/** Returns the server's time up to which the page knows what happened: now, or since when it may be out of date. */
export function useKnownUntil(): number {
  const now = useNow();
  const since = useAtomValue(staleSinceAtom);
  return since === null ? now : Math.min(now, serverTimeOf(since));
}
