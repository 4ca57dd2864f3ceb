import { useEffect, useState } from 'react';

const TICK_MS = 30_000;

/** The time in milliseconds, read again every half minute: enough for '5 minutes ago'. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
