import { useEffect } from 'react';
import { refreshSession } from './restore.ts';

/** Who waits for an organisation gets it elsewhere, often in another tab: coming back looks whether it is there. */
export function useSessionOnReturn(): void {
  useEffect(() => {
    const look = (): void => void refreshSession();
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, []);
}
