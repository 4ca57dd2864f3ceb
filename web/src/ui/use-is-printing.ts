import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** Returns whether the browser prints the page. Printing waits for nothing, so that the change is rendered at once. */
export function useIsPrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const before = (): void => flushSync(() => setPrinting(true));
    const after = (): void => flushSync(() => setPrinting(false));
    addEventListener('beforeprint', before);
    addEventListener('afterprint', after);
    return () => {
      removeEventListener('beforeprint', before);
      removeEventListener('afterprint', after);
    };
  }, []);
  return isPrinting;
}
