import { useEffect } from 'react';
import { refreshSession } from '../state/restore.ts';

/** Reads the session again when the person returns to the tab: an organisation is often activated in another tab. */
export function useSessionOnReturn(): void {
  useEffect(() => {
    const look = (): void => void refreshSession();
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, []);
}
