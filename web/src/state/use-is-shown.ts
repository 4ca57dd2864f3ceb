import { useEffect, useRef } from 'react';

/** Returns a function that tells whether the component is still shown; a form that opens anew is another one. */
export function useIsShown(): () => boolean {
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return () => isShown.current;
}
