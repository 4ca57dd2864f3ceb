import { useCallback, useSyncExternalStore } from 'react';

/** Screens of the mobile breakpoint (section 9 of the specification). */
export const MOBILE = '(max-width: 600px)';

export function useMediaQuery(query: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const media = matchMedia(query);
      media.addEventListener('change', changed);
      return () => media.removeEventListener('change', changed);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
