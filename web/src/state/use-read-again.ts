import { useEffect } from 'react';

/** The server looks at contacts four times an hour; no frame tells of it. */
const EVERY_MS = 15 * 60_000;

/** Calls `reload` four times an hour, each page at its own time, while the page is open. */
export function useReadAgain(reload: () => void): void {
  useEffect(() => {
    const timer = setInterval(reload, EVERY_MS);
    return () => clearInterval(timer);
  }, [reload]);
}
