import { useEffect, useState } from 'react';

const TICK_MS = 30_000;

/** Listeners of the one timer for all relative times. @boundedBy the components that are mounted */
const listeners = new Set<(now: number) => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: (now: number) => void): () => void {
  if (listeners.size === 0) {
    timer = setInterval(() => {
      for (const each of listeners) each(Date.now());
    }, TICK_MS);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

/** Returns the time in ms, updated every half minute, which is enough for '5 minutes ago'. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => subscribe(setNow), []);
  return now;
}
